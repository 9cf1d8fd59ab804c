import type { Doubt } from "../Doubt.ts"

export const doubts: ReadonlyArray<Doubt> = [
  {
    assumed: "Notes, leads, users and currencies are read and written by version 1, which has no end for them",
    otherwise: "Their calls answer 404 or 410; the paths stand in `Note.ts`, `Leads.ts` and `Owner.ts`",
    source: "https://developers.pipedrive.com/changelog/post/deprecated-apiv1-endpoints-become-out-of-support"
  },
  {
    assumed: "A list in version 2 sorted by id goes on after the last id of the page before, while records come and go",
    otherwise: "A record that is made in the middle of a walk may be missing from it",
    source: "https://pipedrive.readme.io/docs/core-api-concepts-pagination"
  },
  {
    assumed:
      "`X-RateLimit-*` tells of the two seconds in which calls are counted, and `X-Daily-RateLimit-Token-Remaining` of the day",
    otherwise: "Limits are met with 429 only, after which the account is left alone as long as it says",
    source: "https://pipedrive.readme.io/docs/core-api-concepts-rate-limiting"
  },
  {
    assumed: "Archived leads and deals are listed apart, and cannot be changed",
    otherwise: "They come in lists, or a change of one is refused with the provider's words",
    source:
      "https://developers.pipedrive.com/changelog/post/breaking-change-archived-deals-and-leads-will-not-be-returned-in-existing-endpoints-and-will-not-be-editable"
  },
  {
    assumed: "The options of an activity's priority are called Low, Medium and High",
    otherwise: "Priorities of other names read as null and stay; a field mapping with `values` says what they mean",
    source: "https://developers.pipedrive.com/docs/api/v1/Activities"
  },
  {
    assumed: "A search finds a record as soon as it is written, and a word anywhere in its name",
    otherwise: "A record that was just made is missing from lists by e-mail address, name or text for a moment",
    source: "https://developers.pipedrive.com/docs/api/v1/Persons#searchPersons"
  },
  {
    assumed: "Deleting a deal moves its `update_time`, and a list by `status=deleted` shows it for 30 days",
    otherwise: "`modified_after` with `include_deleted` misses deals that were deleted since",
    source: "https://developers.pipedrive.com/docs/api/v1/Deals#getDeals"
  },
  {
    assumed: "A call without its scope answers 403 `Scope and URL mismatch`",
    otherwise: "The refusal is shown in the provider's words, without the name of the scope",
    source: "https://github.com/pipedrive/client-php/issues/14"
  },
  {
    assumed: "The scope `webhooks:full` lets an application make webhooks; the reference of the API names `admin`",
    otherwise: "Webhooks are refused and tried again every six hours; watches look at their interval",
    source: "https://developers.pipedrive.com/docs/api/v1/Webhooks"
  },
  {
    assumed: "A webhook's address comes back in the list of webhooks as it was given",
    otherwise: "A webhook is made again each day, until the 40 of a user are reached",
    source: "https://developers.pipedrive.com/docs/api/v1/Webhooks#getWebhooks"
  },
  {
    assumed: "The note of an activity is HTML, as that of a deal is",
    otherwise: "Text with `<`, `&` or line breaks looks different on Pipedrive's pages",
    source: "https://developers.pipedrive.com/docs/api/v1/Activities"
  },
  {
    assumed: "A person, organization or deal that was merged into another is deleted, and no answer names the other",
    otherwise: "A merged record is 404 as a deleted one is, without `merged_into`",
    source: "https://pipedrive.readme.io/docs/merging-two-persons"
  },
  {
    assumed: "A required custom field that a body lacks is refused as other values are, by its key",
    otherwise: "It is told in the provider's words alone, or saved without it",
    source: "https://developers.pipedrive.com/docs/api/v1/PersonFields"
  }
]
