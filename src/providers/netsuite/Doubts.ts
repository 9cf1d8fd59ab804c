import type { Doubt } from "../Doubt.ts"

const help = "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help"

export const doubts: ReadonlyArray<Doubt> = [
  {
    assumed: "Integrations that sign by token can still be made",
    otherwise: "New ones are refused; those there are go on, and OAuth 2 takes their place",
    source: `${help}/section_158921905537.html`,
    ends: "2027-01-01"
  },
  {
    assumed: "Integrations that sign by token work",
    otherwise: "Their connections become `needs_reauth`",
    source: `${help}/section_158921905537.html`,
    ends: "2028-07-01"
  },
  {
    assumed: "Refresh tokens of the authorisation code flow end after seven days and are not replaced",
    otherwise: "A connection lasts longer, or becomes `needs_reauth`; its end user connects again",
    source: `${help}/section_160855594402.html`
  },
  {
    assumed: "A certificate of OAuth 2 client credentials is good for two years at most",
    otherwise: "The connection becomes `needs_reauth` on the day its certificate ends",
    source: `${help}/subsect_162755332391.html`
  },
  {
    assumed: "Features and the role of the token decide which records and fields there are",
    otherwise: "A field that an account lacks is null in lists; a record type that it lacks is refused in its words",
    source: `${help}/article_5085602973.html`
  },
  {
    assumed: "A role that may not see a type of transactions gets none of them in queries, without a word",
    otherwise: "The list is refused with the provider's words",
    source: "https://github.com/suiteutils/suiteutils-netsuite-claude-harness"
  },
  {
    assumed: "The metadata catalogue names only types of records that the account has and its role may see",
    otherwise: "The record service is asked where a list, or the part of it that one type makes, is empty",
    source: `${help}/chapter_1540810168.html`
  },
  {
    assumed: "Queries know payment methods with their kinds, and no query knows what is in a tax group",
    otherwise: "Payment methods are read one by one, as tax groups are, and kept for five minutes",
    source: "https://www.npmjs.com/package/@hitc/netsuite-types"
  },
  {
    assumed: "Amounts and signs in queries are those of a published set of models over the same tables",
    otherwise: "Amounts of lists differ from those of single records",
    source: "https://github.com/fivetran/dbt_netsuite"
  },
  {
    assumed: "Queries tell the letter of a transaction's state, which is the same in every language",
    otherwise: "A state whose letter is not in the table is null and counted in `provider_native_states_total`",
    source: "https://github.com/suiteutils/suiteutils-netsuite-claude-harness"
  },
  {
    assumed: "Error texts list fields by the labels that the metadata catalogue has, after a colon",
    otherwise: "The refusal is told under `body`, in the provider's words",
    source: `${help}/section_156570709583.html`
  },
  {
    assumed: "The types of accounts tell which activities of a cash flow they belong to, and banks are what cash is",
    otherwise:
      "A company whose own layout says otherwise sees other sections in NetSuite; what cash came to is the same",
    source: `${help}/section_N2113644.html`
  },
  {
    assumed: "An account lets through at least as many calls at a time as this service makes",
    otherwise: "A 429 leaves the account alone as long as it says",
    source: `${help}/section_1500275531.html`
  },
  {
    assumed: "Stamps of records compare in UTC by `SYS_EXTRACT_UTC(…)`, as published code has it",
    otherwise: "Lists that are filtered by a time are refused with the provider's words",
    source: "https://github.com/PostHog/posthog"
  },
  {
    assumed:
      "Queries name the type of a deleted record as users know it (`Sales Order`), and when it was deleted without a time zone",
    otherwise: "`include_deleted` leaves out what goes by another name",
    source: "https://timdietrich.me/blog/netsuite-suiteql-query-deleted-records/"
  },
  {
    assumed: "No time of change is known to queries of terms, payment methods and tax codes",
    otherwise: "Their lists could be filtered by it, and are not",
    source: "https://github.com/gupy-io/tap-suiteql"
  }
]
