import type { Native } from "../../mapping/Mapping.ts"
import { shown } from "../Answers.ts"
import { plain } from "./Markdown.ts"
import { titleOf } from "./Properties.ts"

export const parentOf = ({ parent }: Native) => parent

const about = {
  url: "url",
  created_at: "created_time",
  edited_at: "last_edited_time",
  in_trash: (record: Native) => (record["in_trash"] === true ? true : undefined),
  parent: parentOf
}

export const pageLine = shown({ id: "id", title: titleOf, ...about })

/** A database, or a data source of one. */
export const sourceLine = shown({
  id: "id",
  title: ({ title }) => plain(title),
  description: ({ description }) => plain(description),
  ...about
})

export const found = (entry: Native) =>
  entry["object"] === "page" ? { kind: "page", ...pageLine(entry) } : { kind: "data_source", ...sourceLine(entry) }

export const person = shown({ id: "id", name: "name", type: "type", email: "person.email" })
