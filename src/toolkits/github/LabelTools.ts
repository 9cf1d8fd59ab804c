import { Effect, Schema } from "effect"
import { each } from "../Answers.ts"
import { text, texts } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, paging, repository } from "./Calls.ts"
import { number, state } from "./IssueTools.ts"
import { account, label, milestone } from "./Shapes.ts"

const root = "/repos/:owner/:repo"

/** Tools for sorting issues: labels, milestones, people. https://docs.github.com/en/rest/issues/labels */
export const labelTools = ({ call, page }: Calls): ReadonlyArray<ConnectionTool> => {
  return [
    tool({
      name: "github_list_labels",
      title: "List labels",
      description: "Lists the labels of a repository: the names that issues and pull requests can have.",
      keywords: ["tags", "categories"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({ ...repository, ...paging }),
      run: (connection, { limit, page: place, ...params }) =>
        page(
          connection,
          { operation: "labels.list", method: "GET", path: `${root}/labels`, params },
          { limit, page: place },
          { name: "labels", show: label }
        )
    }),
    tool({
      name: "github_add_labels",
      title: "Add labels",
      description:
        "Adds labels to an issue or pull request and leaves the others on it. A label that the repository lacks is created, so look at github_list_labels first.",
      keywords: ["tag issue", "categorise", "triage"],
      // adding what is there already changes nothing
      hints: { ...hints.create, idempotent: true },
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        number: number("issue or pull request"),
        labels: texts("Names of labels.", 100)
      }),
      run: (connection, { labels, number, ...params }) =>
        Effect.map(
          call(connection, {
            operation: "labels.add",
            method: "POST",
            path: `${root}/issues/:number/labels`,
            params: { ...params, number: String(number) },
            json: { labels },
            repeatable: true
          }),
          (answer) => ({ labels: each("body", "name")(answer) })
        )
    }),
    tool({
      name: "github_remove_label",
      title: "Remove a label",
      description: "Takes one label off an issue or pull request and answers the labels it still has.",
      keywords: ["untag", "unlabel", "triage"],
      hints: hints.remove,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        number: number("issue or pull request"),
        label: text("Name of the label.", 100)
      }),
      run: (connection, { label, number, ...params }) =>
        Effect.map(
          call(connection, {
            operation: "labels.remove",
            method: "DELETE",
            path: `${root}/issues/:number/labels/:label`,
            params: { ...params, number: String(number), label }
          }),
          (answer) => ({ labels: each("body", "name")(answer) })
        )
    }),
    tool({
      name: "github_list_milestones",
      title: "List milestones",
      description:
        "Lists the milestones of a repository with due date and how many of their issues are open and closed.",
      keywords: ["roadmap", "sprint", "deadline", "progress"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({ ...repository, state, ...paging }),
      run: (connection, { limit, page: place, state, ...params }) =>
        page(
          connection,
          { operation: "milestones.list", method: "GET", path: `${root}/milestones`, params, query: { state } },
          { limit, page: place },
          { name: "milestones", show: milestone }
        )
    }),
    tool({
      name: "github_list_assignees",
      title: "List assignable people",
      description:
        "Lists the accounts that issues and pull requests of a repository can be assigned to. Use it to find somebody's login.",
      keywords: ["team", "members", "collaborators", "who can be assigned"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({ ...repository, ...paging }),
      run: (connection, { limit, page: place, ...params }) =>
        page(
          connection,
          { operation: "assignees.list", method: "GET", path: `${root}/assignees`, params },
          { limit, page: place },
          { name: "people", show: account }
        )
    })
  ]
}
