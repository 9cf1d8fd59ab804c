import type { Doubt } from "../Doubt.ts"

export const doubts: ReadonlyArray<Doubt> = [
  {
    assumed: "`_skip` reaches to the end of a list, as far as an account has records",
    otherwise: "A list stops with a refusal in the provider's words, which names the most that it skips",
    source: "https://developer.close.com/api/overview/pagination"
  },
  {
    assumed: "Lists of leads, contacts and notes keep their order while they are walked, whatever it is",
    otherwise: "A record that moves in the middle of a walk may be missing from it or come twice",
    source: "https://developer.close.com/api/resources/leads/list"
  },
  {
    assumed: "`value` counts hundredths of the currency, also of currencies that have none",
    otherwise: "Amounts in yen are read and written a hundredfold",
    source: "https://developer.close.com/api/resources/opportunities/get"
  },
  {
    assumed: "A task is made dateless with `is_dateless`, and a `date` gives it one",
    otherwise: "A due date cannot be cleared; the refusal is shown in the provider's words",
    source: "https://developer.close.com/api/resources/tasks/update"
  },
  {
    assumed:
      "Lead and author of a record are never changed; the description of the calls that change one leaves them out",
    otherwise: "Changes that Close would take are left out, and said",
    source: "https://developer.close.com/api/resources/opportunities/update"
  },
  {
    assumed: "Users that are listed can own records",
    otherwise: "A record that is given to one that cannot is refused in the provider's words",
    source: "https://developer.close.com/api/resources/users/list"
  },
  {
    assumed: "`/me/` says the currency of the organization that opportunities are in",
    otherwise: "A deal in another currency is written, and its warning says in which it is held",
    source: "https://developer.close.com/api/resources/users/me"
  },
  {
    assumed: "An opportunity moves to the pipeline of the status that it is given",
    otherwise: "A move to another pipeline is refused in the provider's words",
    source: "https://developer.close.com/api/resources/opportunities/update"
  },
  {
    assumed:
      "A search finds a lead or a contact as soon as it is written, compares times to the millisecond, and ignores case",
    otherwise: "What was just written is missing from lists by time, name or e-mail address for a moment",
    source: "https://developer.close.com/api/resources/advanced-filtering"
  },
  {
    assumed:
      "Notes are listed by `contact_id` and `user_id` without a lead too; the list of all activities takes them only with one",
    otherwise: "A list of notes by contact or owner is refused in the provider's words",
    source: "https://developer.close.com/api/resources/activities/notes/list"
  },
  {
    assumed:
      "`note` is the text of a note without formatting whenever `note_html` consists of paragraphs and line breaks",
    otherwise: "The text of such a note reads with other line breaks than it was sent with",
    source: "https://developer.close.com/api/resources/activities/notes"
  },
  {
    assumed:
      "The id of a lead that was merged into another is 404; the `LeadMerge` activity names both and cannot be searched by the old one",
    otherwise: "A merged company is 404 as a deleted one is, without `merged_into`",
    source: "https://developer.close.com/api/resources/activities/lead-merges"
  },
  {
    assumed: "A refusal names a custom field by its key, `custom.cf_…`",
    otherwise: "A missing custom field is told in the provider's words alone",
    source: "https://developer.close.com/api/resources/custom-fields"
  }
]
