import type { Doubt } from "../Doubt.ts"

export const doubts: ReadonlyArray<Doubt> = [
  {
    assumed: "Version 66.0 of the API (Spring '26) is supported; a version is for three years at least",
    otherwise: "Calls answer 410; the version stands once, in `Org.ts`",
    source: "https://developer.salesforce.com/docs/revenue/subscription-management/guide/api-end-of-life.html",
    ends: "2029-02-01"
  },
  {
    assumed: "An org whose edition has no API refuses every call with `API_DISABLED_FOR_ORG`",
    otherwise: "Another refusal is shown in the provider's words",
    source: "https://help.salesforce.com/s/articleView?id=000385436"
  },
  {
    assumed: "The description of a type that an org lacks, or hides from its user, is 404",
    otherwise: "Another refusal fails the lists of that type with the provider's words",
    source: "https://developer.salesforce.com/docs/platform/api-rest/guide/dome-sobject-describe"
  },
  {
    assumed: "An org without the notes of Lightning has classic ones",
    otherwise: "A list of notes has the kinds that the org shows, or none",
    source:
      "https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_contentnote.htm"
  },
  {
    assumed: "The text of a Lightning note takes one call each, in no batch and no composite request",
    otherwise: "Lists of notes cost more calls than they would have to; a tenth of the day's calls is left to others",
    source:
      "https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_composite_sobjects_collections_retrieve_post.htm"
  },
  {
    assumed: "Every answer says in `Sforce-Limit-Info` how many calls of the day are used",
    otherwise: "Limits are met with 403 `REQUEST_LIMIT_EXCEEDED` only, after which the org is left alone for a minute",
    source:
      "https://developer.salesforce.com/docs/atlas.en-us.salesforce_app_limits_cheatsheet.meta/salesforce_app_limits_cheatsheet/salesforce_app_limits_platform_api.htm"
  },
  {
    assumed: "A refresh gives no new refresh token",
    otherwise: "A new one is stored in place of the old one",
    source: "https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_oauth_refresh_token_flow.htm"
  },
  {
    assumed: "Ids ascend in the order of `ORDER BY Id`, and records that are made later have greater ones",
    otherwise: "A record that is made in the middle of a walk may be missing from it",
    source: "https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/field_types.htm"
  },
  {
    assumed:
      "Deletion moves `SystemModstamp`, which is then when a record was deleted, and records are in the recycle bin for 15 days",
    otherwise: "Lists with `include_deleted` name another time, or leave out what is no more in the bin",
    source: "https://developer.salesforce.com/docs/platform/api-rest/guide/resources-queryall"
  },
  {
    assumed: "SOQL compares text whatever its case, and accents count",
    otherwise: "Filters on text find records that differ in accents too",
    source:
      "https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/sforce_api_calls_soql_select_comparisonoperators.htm"
  },
  {
    assumed: "Links of notes are known by `LinkedEntityId` and the type of their document, and by no join",
    otherwise:
      "Lists of notes by what they are on fail with the provider's words; the query stands once, in `ContentNotes.ts`",
    source:
      "https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_contentdocumentlink.htm"
  },
  {
    assumed:
      "`ContentSize` of a Lightning note is the bytes of its content, and `TextPreview` the beginning of that without markup",
    otherwise: "Short notes come without their markup; what tells them stands once, in `ContentNotes.ts`",
    source: "https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_objects_contentnote.htm"
  },
  {
    assumed: "A part of a composite request that refers to a query without rows is refused with `PROCESSING_HALTED`",
    otherwise: "A change of a record that is not there, or of another resource, is refused in the provider's words",
    source: "https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_composite_composite.htm"
  },
  {
    assumed:
      "The `EndDateTime` of an all-day event is the beginning of its last day, and `DurationInMinutes` has all of its days",
    otherwise: "All-day events of which only the end is told end a day later than they do",
    source:
      "https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_event.htm"
  },
  {
    assumed: "Answers about several records leave out which records a duplicate rule matched",
    otherwise: "Duplicates in a batch take a call each to be named, though the first answer had them",
    source:
      "https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_composite_sobjects_collections.htm"
  },
  {
    assumed: "A host that an organisation has left redirects, answers 421, or is a web page with 404 or 410",
    otherwise: "Another answer of it fails until the access token is renewed for another reason",
    source: "https://help.salesforce.com/s/articleView?id=xcloud.domain_name_redirections_manage.htm"
  },
  {
    assumed:
      "A Lightning note takes the references `&amp;`, `&lt;`, `&gt;`, `&quot;` and `&#39;`, and refuses most others",
    otherwise: "Nothing changes: no others are written for text",
    source: "https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_objects_contentnote.htm"
  },
  {
    assumed: "Descriptions of tasks, events and service appointments are plain text",
    otherwise: "Text with `<` or `&` looks different on Salesforce's pages",
    source:
      "https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_task.htm"
  }
]
