import { Effect } from "effect"
import { Note } from "../../canonical/crm/Note.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { classicNote, classicNoteEntries, classicNotes, createClassic } from "./ClassicNotes.ts"
import { mappingOf } from "./Common.ts"
import { contentNote, contentNoteEntries, contentNotes } from "./ContentNotes.ts"
import { isWithoutType, module } from "./Lacks.ts"
import type { Org } from "./Org.ts"
import { sobjects } from "./Several.ts"

const mapping = mappingOf(Note, (of) => [
  of.variant({ nativeType: contentNote, entries: contentNoteEntries(of), notHeld: {} }),
  of.variant({ nativeType: classicNote, entries: classicNoteEntries(of), notHeld: {} })
])

export const note = (org: Org): ResourceAdapter => {
  const notes = sobjects(org, [contentNotes(org), classicNotes(org)])
  return {
    mapping,
    consistency: "exact",
    // contents are left out of lists when an org has few calls of its day left
    nullInLists: ["content", "content_type"],
    requires: [{ ...module(contentNote), native_types: [contentNote] }],
    ...notes,
    // without the notes of Lightning, an org has the classic ones
    create: (request) =>
      Effect.catchIf(
        Effect.zipRight(org.fieldsOf(request.connection, contentNote), notes.create(request)),
        isWithoutType,
        () => createClassic(org, request)
      )
  }
}
