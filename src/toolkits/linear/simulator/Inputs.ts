import { Either } from "effect"
import type { Doc } from "../../../providers/simulation/Account.ts"
import { type Answered, fail, invalid } from "./Answers.ts"
import { sortInputs } from "./Connections.ts"
import type { Args, Schema } from "./Execute.ts"
import { filterInputs } from "./Filters.ts"

// The input types of mutations, and how mutations read them.

const issueInput = {
  title: "String",
  description: "String",
  assigneeId: "String",
  stateId: "String",
  priority: "Int",
  labelIds: "[String!]",
  projectId: "String",
  cycleId: "String",
  parentId: "String",
  estimate: "Int",
  dueDate: "TimelessDate"
}

const projectInput = {
  name: "String",
  description: "String",
  content: "String",
  leadId: "String",
  statusId: "String",
  priority: "Int",
  startDate: "TimelessDate",
  targetDate: "TimelessDate",
  teamIds: "[String!]"
}

/** Fields of input types. */
export const inputs: Schema["inputs"] = {
  ...filterInputs,
  ...sortInputs,
  IssueCreateInput: { ...issueInput, teamId: "String!" },
  IssueUpdateInput: { ...issueInput, teamId: "String", addedLabelIds: "[String!]", removedLabelIds: "[String!]" },
  CommentCreateInput: { issueId: "String", body: "String", parentId: "String" },
  CommentUpdateInput: { body: "String" },
  ProjectCreateInput: { ...projectInput, name: "String!", teamIds: "[String!]!" },
  ProjectUpdateInput: projectInput,
  IssueRelationCreateInput: { issueId: "String!", relatedIssueId: "String!", type: "IssueRelationType!" }
}

// reading an input ----------------------------------------------------------------------------------------------------

export const inputOf = ({ input }: Args): Doc => (typeof input === "object" && input !== null ? { ...input } : {})

export const textAt = (input: Doc, name: string): string | undefined => {
  const value = input[name]
  return typeof value === "string" ? value : undefined
}

export const textsAt = (input: Doc, name: string): ReadonlyArray<string> | undefined => {
  const value = input[name]
  return Array.isArray(value) ? value.map(String) : undefined
}

export const numberAt = (input: Doc, name: string): number | undefined => {
  const value = input[name]
  return typeof value === "number" ? value : undefined
}

/** A time, in milliseconds. */
export const dateAt = (input: Doc, name: string): number | undefined => {
  const value = input[name]
  return typeof value === "string" ? Date.parse(value) : undefined
}

/** Reads a member that may be cleared: the present value if the input lacks it, null, or a value that is checked. */
export const changed = <A>(
  input: Doc,
  name: string,
  present: A | null,
  read: (value: unknown) => Answered<A>
): Answered<A | null> => {
  const value = input[name]
  if (value === undefined) return Either.right(present)
  return value === null ? Either.right(null) : read(value)
}

export const refuse = (words: string) => fail(invalid("Argument Validation Error", words))

export const readNumber = (value: unknown): Answered<number> => Either.right(Number(value))
export const readText = (value: unknown): Answered<string> => Either.right(String(value))
