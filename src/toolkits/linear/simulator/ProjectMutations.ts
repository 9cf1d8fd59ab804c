import { Either } from "effect"
import type { Account, Doc } from "../../../providers/simulation/Account.ts"
import { type Answered, fail, notFound } from "./Answers.ts"
import type { Resolve } from "./Execute.ts"
import type { Fields } from "./Fields.ts"
import { changed, inputOf, numberAt, readText, refuse, textAt, textsAt } from "./Inputs.ts"
import { freshId, held, type Project, projects, projectStatuses, teams, users } from "./Tables.ts"

// Mutations of projects: https://linear.app/developers/graphql

const writtenProject = (account: Account, project: Project, input: Doc): Answered<Project> =>
  Either.gen(function* () {
    const name = textAt(input, "name") ?? project.name
    if (name.trim() === "") return yield* refuse("name should not be empty")
    const wanted = textsAt(input, "teamIds") ?? project.teams
    if (wanted.length === 0) return yield* refuse("teamIds should not be empty")
    const status = textAt(input, "statusId") ?? project.status
    if (!projectStatuses.some(({ id }) => id === status)) return yield* fail(notFound("ProjectStatus"))
    const description = textAt(input, "description") ?? project.description
    if (description.length > 255) return yield* refuse("description must be shorter than or equal to 255 characters")
    const lead = (id: unknown) => Either.map(held(users, account, id, "User"), (user) => user.id)
    return {
      ...project,
      name,
      status,
      description,
      priority: numberAt(input, "priority") ?? project.priority,
      content: yield* changed(input, "content", project.content, readText),
      lead: yield* changed(input, "leadId", project.lead, lead),
      teams: (yield* Either.all(wanted.map((id) => held(teams, account, id, "Team")))).map(({ id }) => id),
      startDate: yield* changed(input, "startDate", project.startDate, readText),
      targetDate: yield* changed(input, "targetDate", project.targetDate, readText),
      updatedAt: account.now
    }
  })

const putProject = (account: Account, project: Project): Doc => {
  projects.put(account, project.id, project)
  return { success: true, lastSyncId: account.now, project }
}

const projectCreate: Resolve = (_, args, account) => {
  const blank: Project = {
    id: freshId(account),
    name: "",
    description: "",
    content: null,
    status: projectStatuses[0].id,
    priority: 0,
    lead: null,
    teams: [],
    startDate: null,
    targetDate: null,
    createdAt: account.now,
    updatedAt: account.now
  }
  return Either.map(writtenProject(account, blank, inputOf(args)), (made) => putProject(account, made))
}

const projectUpdate: Resolve = (_, args, account) =>
  Either.gen(function* () {
    const project = yield* held(projects, account, args["id"], "Project")
    return putProject(account, yield* writtenProject(account, project, inputOf(args)))
  })

export const projectMutations: Fields = {
  projectCreate: {
    type: "ProjectPayload",
    // arguments for Linear's own application and for Slack have no effect on the project that is made
    args: {
      input: "ProjectCreateInput!",
      slackChannelName: "String",
      projectDraftId: "String",
      aiConversationId: "String"
    },
    resolve: projectCreate
  },
  projectUpdate: {
    type: "ProjectPayload",
    args: { id: "String!", input: "ProjectUpdateInput!" },
    resolve: projectUpdate
  }
}
