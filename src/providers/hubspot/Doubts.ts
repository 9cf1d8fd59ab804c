import type { Doubt } from "../Doubt.ts"

export const doubts: ReadonlyArray<Doubt> = [
  {
    assumed: "Refresh tokens that version 1 of the token service gave are good at `/oauth/2026-03/token`",
    otherwise: "The first refresh makes the connection `needs_reauth`; its end user connects again",
    source: "https://developers.hubspot.com/docs/api-reference/legacy/authentication/oauth-tokens/v1/migration-guide"
  },
  {
    assumed: "Version 1 of the token service (`/oauth/v1/token`) still answers, for clients other than this service",
    otherwise: "Nothing changes here: consent, refresh, introspection and revocation go to `/oauth/2026-03/token`",
    source: "https://developers.hubspot.com/docs/api-reference/legacy/authentication/oauth-tokens/v1/migration-guide",
    ends: "2027-02-16"
  },
  {
    assumed: "Version 2026-03 of the token service is supported; versions are for 18 months after their release",
    otherwise: "It goes on without fixes; the path stands once, in `HubSpot.ts`",
    source: "https://developers.hubspot.com/docs/developer-tooling/platform/versioning",
    ends: "2027-09-01"
  },
  {
    assumed: "Records are read and written by `/crm/v3`, links by `/crm/v4`; no end of either is announced",
    otherwise: "Calls answer 404 or 410; the paths stand in `Objects.ts` and `Association.ts`",
    source: "https://developers.hubspot.com/blog/date-based-api-versioning-migration-playbook"
  },
  {
    assumed: "Association type ids are the account's own and are told by the labels endpoint",
    otherwise: "A write that links records fails with the provider's words, and nothing is linked wrongly",
    source: "https://developers.hubspot.com/docs/api-reference/crm-associations-v4/guide"
  },
  {
    assumed: "A search pages past its 10,000 results by the id of the last record, sorted by `hs_object_id`",
    otherwise: "A list ends with `502 PROVIDER_ERROR`, since its pages bring nothing new",
    source: "https://developers.hubspot.com/docs/api-reference/search/guide"
  },
  {
    assumed:
      "A search finds what was written within a minute: the guide says moments, others wait 10 seconds after a create and 60 after an update",
    otherwise:
      "A list with filters shows a change later: a sync that asks for `modified_after` two minutes before its last run began needs a longer overlap",
    source: "https://developers.hubspot.com/docs/api-reference/search/guide"
  },
  {
    assumed:
      "`createdAt` and `updatedAt` of a record are `createdate` or `hs_createdate`, and `lastmodifieddate` of contacts or `hs_lastmodifieddate`, to the millisecond",
    otherwise: "`created_*` and `modified_*` go by another stamp than the one that is shown",
    source: "https://developers.hubspot.com/docs/api-reference/search/guide"
  },
  {
    assumed:
      "A search by `associations.contact`, `associations.company` or `associations.deal` is good for leads and appointments too, and one by `IN`",
    otherwise: "Lists of them by `account` or `contact`, and of leads by `email` or `phone`, are 502 `PROVIDER_ERROR`",
    source: "https://developers.hubspot.com/docs/api-reference/search/guide"
  },
  {
    assumed:
      "`CONTAINS_TOKEN` with `abc*` finds what has a word that begins with abc, and with `*abc` what ends with it, whatever the case",
    otherwise: "A list by `name`, `domain` or `phone` lacks records",
    source: "https://developers.hubspot.com/docs/api-reference/search/guide"
  },
  {
    assumed:
      "`hs_searchable_calculated_phone_number` and `hs_searchable_calculated_mobile_number` end with the last digits of the number, and have no value where HubSpot reads none",
    otherwise: "A list by `phone` lacks contacts whose number is written with more than it, such as an extension",
    source: "https://developers.hubspot.com/docs/api-reference/search/guide"
  },
  {
    assumed: "Lists of archived records are in the order of their ids, tell `archivedAt`, and go back 90 days",
    otherwise: "`include_deleted` leaves some out",
    source: "https://developers.hubspot.com/docs/guides/api/crm/understanding-the-crm"
  },
  {
    assumed: "Addresses of contacts and owners are kept in lower case",
    otherwise: "A list by `email` lacks the others",
    source: "https://developers.hubspot.com/docs/guides/api/crm/owners"
  },
  {
    assumed:
      "An account without Sales Hub cannot grant the scopes of leads, and a call for leads is 403 `MISSING_SCOPES`",
    otherwise: "Another refusal is shown in the provider's words, as `FORBIDDEN` or `PROVIDER_ERROR`",
    source: "https://developers.hubspot.com/docs/api/crm/leads"
  },
  {
    assumed: "An account without appointments refuses the object as it refuses a missing scope",
    otherwise: "Another refusal is shown in the provider's words",
    source: "https://developers.hubspot.com/docs/guides/api/crm/objects/appointments"
  },
  {
    assumed: "Without the scope `sales-email-read`, e-mails are listed without their text",
    otherwise: "A list of activities says with 403 that e-mails cannot be read",
    source: "https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/scopes"
  },
  {
    assumed: "An empty text clears a property",
    otherwise: "The answer to a write shows the value that stayed",
    source: "https://developers.hubspot.com/docs/api-reference/crm-properties-v3/guide"
  },
  {
    assumed: "A record that names an unknown one to link to is refused with `COMPANY=123 is not valid`",
    otherwise: "The 422 has the words under `body` and names no field",
    source: "https://developers.hubspot.com/docs/api-reference/error-handling"
  },
  {
    assumed: "Calls, e-mails, meetings and communications count their ids together, as engagements did",
    otherwise: "An id that two of them have means the one that was seen before, and is not refused",
    source: "https://developers.hubspot.com/docs/guides/api/crm/engagements/calls"
  },
  {
    assumed:
      "Subscriptions to `object.*` with an `objectTypeId` tell changes of leads, notes, tasks, meetings, calls, e-mails and appointments",
    otherwise: "Changes of these are told when their watch looks at its next interval",
    source: "https://developers.hubspot.com/docs/api-reference/webhooks/guide"
  },
  {
    assumed: "Pushes are signed with the client's secret, by the address as it was registered",
    otherwise: "Every push is 401: watches look at their interval, and `pushes_total` counts the rejected ones",
    source: "https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests"
  },
  {
    assumed: "A batch of creates gives `objectWriteTraceId` back with each result and each error, as its schema says",
    otherwise: "The records are made, and their entries are `502`, since nobody can tell which is which",
    source: "https://developers.hubspot.com/docs/api-reference/error-handling"
  },
  {
    assumed:
      "Bodies of notes, tasks, meetings, calls and communications are shown as HTML; the editor wraps paragraphs without margins into an element with `data-top-level`",
    otherwise:
      "Text with `<`, `&` or line breaks looks different on HubSpot's pages, or notes of its editor read as HTML",
    source: "https://developers.hubspot.com/docs/guides/api/crm/engagements/notes"
  }
]
