import { Activity } from "../../canonical/crm/Activity.ts"
import { contentEntries, type ContentHolding } from "../../mapping/ContentEntries.ts"
import { type Encoding, getPath, type Native } from "../../mapping/Mapping.ts"
import { contentOfHtml, htmlOfContent, textOfContent } from "../../mapping/TextContent.ts"
import { dateTime, enumeration, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { about, common, moments, stamps } from "./Clauses.ts"
import { body, engagement } from "./Engagement.ts"
import { meetingActivity, meetingFilters } from "./Meeting.ts"
import { lasting, objectMapping } from "./ObjectMapping.ts"
import { dateTimeOf } from "../base/Moments.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { objects } from "./Objects.ts"

// https://developers.hubspot.com/docs/guides/api/crm/engagements/calls
// https://developers.hubspot.com/docs/guides/api/crm/engagements/email
// https://developers.hubspot.com/docs/guides/api/crm/objects/communications

const start = "properties.hs_timestamp"
/** Milliseconds. */
const duration = "properties.hs_call_duration"

/** The end of a call: HubSpot holds its start and duration. */
const endOf = (record: Native | undefined): string | null => {
  const lasts = getPath(record, duration) ?? ""
  const end = lasts === "" ? NaN : Date.parse(String(getPath(record, start))) + Number(lasts)
  return dateTimeOf(end)
}

const lastUntil = (begin: unknown, end: unknown, name: string, { prefix, refuse, set }: Encoding) => {
  const lasts = Date.parse(String(end)) - Date.parse(String(begin))
  if (lasts < 0) refuse(prefix + name, "start_time must not be after end_time")
  else set(duration, String(lasts))
}

const direction = enumeration("callDirection", { INBOUND: "INBOUND", OUTBOUND: "OUTBOUND" })

/** An e-mail has a plain body and one in HTML, which is read first. */
const bodies: ContentHolding = {
  native: ["properties.hs_email_text", "properties.hs_email_html"],
  read: (record) => {
    const [plain, html] = bodies.native.map((native) => String(getPath(record, native) ?? ""))
    return html === "" ? { content: plain ?? "", content_type: "TEXT" } : contentOfHtml(html ?? "")
  },
  write: (content, { set }) => {
    set("properties.hs_email_text", content === null ? "" : textOfContent(content))
    set("properties.hs_email_html", content === null ? "" : htmlOfContent(content))
  }
}

const mapping = objectMapping(Activity, (of) => [
  of.variant({
    nativeType: "calls",
    when: { activity_type: "CALL" },
    entries: [
      of.constant("activity_type", "CALL"),
      of.field("subject", "properties.hs_call_title", text),
      ...body(of, "hs_call_body"),
      of.field("direction", "properties.hs_call_direction", direction),
      of.computed({
        canonical: "end_time",
        native: [start, duration],
        needsCurrent: true,
        decode: ({ record }) => endOf(record),
        encode: (value, encoding) => {
          const { body, get, set } = encoding
          if (value === null) set(duration, "")
          else lastUntil(body.start_time ?? get(start), value, "end_time", encoding)
        }
      }),
      of.computed({
        canonical: "start_time",
        native: [start],
        needsCurrent: true,
        decode: ({ record }, context) => dateTime.decode(getPath(record, start) ?? "", context),
        encode: (value, encoding) => {
          const { body, current, get, set } = encoding
          set(start, value ?? "")
          // an end that is neither given nor cleared stays where it is
          const end = body.end_time === undefined && get(duration) !== "" ? endOf(current?.record) : null
          if (value !== null && end !== null) lastUntil(value, end, "start_time", encoding)
        }
      }),
      ...engagement(of, "contacts")
    ],
    notHeld: {}
  }),
  of.variant({
    nativeType: "emails",
    when: { activity_type: "EMAIL" },
    entries: [
      of.constant("activity_type", "EMAIL"),
      of.field("subject", "properties.hs_email_subject", text),
      ...contentEntries(of, bodies),
      lasting(
        of,
        "direction",
        "properties.hs_email_direction",
        { EMAIL: "OUTBOUND", INCOMING_EMAIL: "INBOUND", FORWARDED_EMAIL: "INBOUND" },
        "OUTBOUND"
      ),
      of.field("start_time", start, dateTime),
      ...engagement(of, "contacts")
    ],
    notHeld: {
      end_time: "HubSpot e-mails have one time and no end."
    }
  }),
  of.variant({
    nativeType: "meetings",
    when: { activity_type: "MEETING" },
    entries: [of.constant("activity_type", "MEETING"), ...meetingActivity(of)],
    notHeld: {
      direction: "HubSpot meetings have no direction."
    }
  }),
  of.variant({
    nativeType: "communications",
    when: { activity_type: "OTHER" },
    entries: [
      of.constant("activity_type", "OTHER"),
      ...body(of, "hs_communication_body"),
      of.field("start_time", start, dateTime),
      ...engagement(of, "contacts")
    ],
    notHeld: {
      subject: "HubSpot communications have a body and no subject.",
      direction: "HubSpot communications do not say whether they came in or went out.",
      end_time: "HubSpot communications have one time and no end."
    }
  })
])

/** Properties that HubSpot insists on. A message has a channel; `integration_params` may name another one. */
const initial: { readonly [nativeType: string]: Native } = {
  emails: { hs_email_direction: "EMAIL" },
  communications: {
    hs_communication_channel_type: "CUSTOM_CHANNEL_CONVERSATION",
    hs_communication_logged_from: "CRM"
  }
}

const timed = { ...stamps, ...common, ...about, ...moments("start", "hs_timestamp") }

const filters = { calls: timed, emails: timed, meetings: meetingFilters, communications: timed }

export const activity = (call: Caller, typeOf: LinkTypes): ResourceAdapter => ({
  ...objects(call, typeOf, mapping, { filters, initial: (nativeType) => initial[nativeType] ?? {} }),
  hasUniqueIds: true
})
