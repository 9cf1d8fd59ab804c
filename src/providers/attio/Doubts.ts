import type { Doubt } from "../Doubt.ts"

export const doubts: ReadonlyArray<Doubt> = [
  {
    assumed: "Access tokens do not end: there is neither `expires_in` nor a refresh token in the token answer",
    otherwise: "A token that has ended makes the connection need consent again",
    source: "https://docs.attio.com/docs/oauth/token"
  },
  {
    assumed: "A stage whose title begins with `Won` or `Lost` closes a deal: stages do not say it otherwise",
    otherwise: "Deals in stages of other titles count as open",
    source: "https://docs.attio.com/docs/standard-objects/standard-objects-deals"
  },
  {
    assumed:
      "`parent_object` of a note and `target_object_id` of a task's link are the slug of the object, as in the examples",
    otherwise: "What the note or task is on reads as null",
    source: "https://docs.attio.com/rest-api/endpoint-reference/notes/list-notes"
  },
  {
    assumed: "Notes are listed in an order that stays",
    otherwise: "A walk through them may miss or repeat some",
    source: "https://docs.attio.com/rest-api/guides/pagination"
  },
  {
    assumed: "A note may have an empty title",
    otherwise: "A note without a title is refused with the provider's words",
    source: "https://docs.attio.com/rest-api/endpoint-reference/notes/create-a-note"
  },
  {
    assumed: "Deals that a workspace has not switched on answer 404 `not_found`",
    otherwise: "Another refusal is shown in the provider's words",
    source: "https://docs.attio.com/docs/standard-objects/standard-objects-deals"
  },
  {
    assumed: "Refusals name an attribute by its slug, in quotes, or by its path in `validation_errors`",
    otherwise: "The field that was refused is not named, only told in the provider's words",
    source: "https://docs.attio.com/rest-api/endpoint-reference/records/create-a-record"
  },
  {
    assumed: "The member who connected a workspace is told by `/self` and may own deals",
    otherwise: "A deal without an owner is refused: by us where the member is not told, else in the provider's words",
    source: "https://docs.attio.com/rest-api/endpoint-reference/meta/identify"
  },
  {
    assumed: "The currency of an attribute is `config.currency.default_currency_code`",
    otherwise: "A deal in another currency is written, and its warning says in which it is held",
    source: "https://docs.attio.com/rest-api/endpoint-reference/attributes/list-attributes"
  },
  {
    assumed: "`$contains` takes any case of any letter, and normalized e-mail addresses are those in small letters",
    otherwise: "A list by name or e-mail address misses records that are written in other letters",
    source: "https://docs.attio.com/rest-api/guides/filtering-and-sorting"
  },
  {
    assumed: "Lists of notes and tasks by a record or a member that is not there are empty",
    otherwise: "Such a list is refused in the provider's words",
    source: "https://docs.attio.com/rest-api/endpoint-reference/tasks/list-tasks"
  },
  {
    assumed: "`content_plaintext` of a note that was made as `plaintext` is what was sent, with its line breaks",
    otherwise: "The note is answered with a warning that names what Attio holds",
    source: "https://docs.attio.com/rest-api/endpoint-reference/notes/create-note"
  },
  {
    assumed:
      "A merge makes a record with a new id, and the ids of both originals are 404; only webhooks name the new record",
    otherwise: "A merged record is 404 as a deleted one is, without `merged_into`",
    source: "https://docs.attio.com/rest-api/endpoint-reference/records/merge-two-records"
  }
]
