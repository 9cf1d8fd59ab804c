import type { Doubt } from "../Doubt.ts"

export const doubts: ReadonlyArray<Doubt> = [
  {
    assumed: "Version 8 of the API is supported; no end of it is announced",
    otherwise: "Calls answer 404; the version stands once, in `Rows.ts`",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/"
  },
  {
    assumed: "Queries (COQL) know every module but notes, and maybe appointments",
    otherwise:
      "Notes and appointments are listed by `GET /{module}` where a query is refused; filtered lists of others fail",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/Get-Records-through-COQL-Query.html"
  },
  {
    assumed:
      "A `page_token` of a list sorted by id goes on after the last record of its page, though others come or go",
    otherwise: "A list that is walked while records are deleted may lack some",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/get-records.html"
  },
  {
    assumed: "Queries reach the names of lookups and of owners: `Account_Name.Account_Name`, `Owner.full_name`",
    otherwise: "Filtered lists ask for ids and then for the records, in three calls more",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/COQL-Overview.html"
  },
  {
    assumed: "A query leaves converted leads out unless it asks for them",
    otherwise: "Records that come twice are shown once",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/Get-Records-through-COQL-Query.html"
  },
  {
    assumed: "`ids` of a list takes 50 ids at once: 1,024 characters",
    otherwise: "Lists fail with `LIMIT_EXCEEDED`; the number stands once, in `Records.ts`",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/get-records.html"
  },
  {
    assumed: "Queries compare text whatever its case; a quote in a text is doubled and a backslash is one",
    otherwise:
      "Filters on text find nothing, or fail with the provider's words; the rules stand once, in `Criteria.ts`",
    source: "https://help.zoho.com/portal/en/community/topic/kaizen-171-faqs-on-coql-api"
  },
  {
    assumed: "`Full_Name` is the salutation, the given name and the family name, in this order",
    otherwise: "Contacts are found by their family names alone, and a lead is called as Zoho calls it",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/Get-Records-through-COQL-Query.html"
  },
  {
    assumed: "Deals without a field `Currency` are of an organisation with one currency, which `iso_code` of it names",
    otherwise: "A user who may not see the field reads the organisation's currency on deals in others",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/get-org-data.html"
  },
  {
    assumed: "A deal in a stage that the account's pick list no longer has is neither won nor lost",
    otherwise: "Such a deal reads as open; its stage reads as it is",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/get-pipelines.html"
  },
  {
    assumed: "The list of a record's notes is sorted by id where that is asked for, as other lists are",
    otherwise: "A list of the notes on one record may lack some, where they are more than 200",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/get-related-records.html"
  },
  {
    assumed: "`If-Modified-Since` leaves out what changed in the second that it names, or does not",
    otherwise: "A second more is asked for, and what it brings is looked at",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/get-records.html"
  },
  {
    assumed:
      "Deleted records are told of every module but notes and appointments, 60 days in the recycle bin and 120 after",
    otherwise: "Lists with `include_deleted` lack what is told no more",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/get-deleted-records.html"
  },
  {
    assumed: "The search needs the scope `ZohoSearch.securesearch.READ`, which connections from before do not have",
    otherwise: "Lists with `q` answer 403 for those until their end user connects again",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/search-records.html"
  },
  {
    assumed: "A call for a module that the edition lacks, or that is hidden, is 400 `INVALID_MODULE`",
    otherwise: "Another refusal is shown in the provider's words",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/status-codes.html"
  },
  {
    assumed: "Connections from before the scope `ZohoCRM.settings.modules.READ` was asked for go on without it",
    otherwise: "What modules such an account has is said to be unknown",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/scopes.html"
  },
  {
    assumed: "Credits that are left are told once half of them are gone, and a 429 has no `Retry-After`",
    otherwise:
      "The account is left alone as long as it says, or else for a second, and for a minute once nothing is left",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/api-limits.html"
  },
  {
    assumed: "The token endpoint refuses with status 200 and `error`",
    otherwise: "Other statuses are read too",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/access-refresh.html"
  },
  {
    assumed: "A channel made again by PUT or POST with the same `channel_id` lasts until the new `channel_expiry`",
    otherwise: "A channel ends within a week, and its changes are told when their watch looks at its next interval",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/notifications/update-details.html"
  },
  {
    assumed: "A channel that has ended is refused with `INVALID_DATA`",
    otherwise: "It is made again later, once the refusal of its renewal was tried again",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/notifications/disable.html"
  },
  {
    assumed: "An update of several records answers for each in their order, as an insert does",
    otherwise: "A record shows what another one holds until it is read again",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/update-records.html"
  },
  {
    assumed:
      "Notes and descriptions of activities are plain text, also in organisations whose page for notes has a toolbar for formatting",
    otherwise:
      "Text with `<` or `&` looks different on Zoho's pages, and formatted notes read with their markup as text; how content is held stands once for each module",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/create-notes.html"
  },
  {
    assumed: "Records that were merged into another are among the deleted ones, which name no other record",
    otherwise: "A merged record is 404 as a deleted one is, without `merged_into`",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/merge-records.html"
  }
]
