import type { Activity } from "../../canonical/crm/Activity.ts"
import type { Meeting } from "../../canonical/crm/Meeting.ts"
import type { Task } from "../../canonical/crm/Task.ts"
import type { Fields, Shape } from "../../canonical/Resource.ts"
import {
  type CommonEntries,
  type Entries,
  type EntriesOf,
  type MakeVariants,
  variantsOf
} from "../../mapping/Entries.ts"
import { htmlContent } from "../../mapping/ContentEntries.ts"
import type { Mapping } from "../../mapping/Mapping.ts"
import { boolean, date, dateTime, integer, number, raw, text, type Transform } from "../../mapping/Transform.ts"

/** A whole number there, text here: API v2 takes no number that comes as text. */
export const numericId: Transform = {
  name: "numericId",
  fit: { canonical: ["providerId"], native: ["integer", "number"] },
  decode: String,
  encode: (canonical, context, path) => {
    const number = Number(canonical)
    if (/^\d+$/.test(String(canonical)) && Number.isSafeInteger(number)) return number
    context.refuse(path, "must be a Pipedrive id: digits only")
    return undefined
  }
}

/**
 * Date-times; API v1 writes them with a blank and without a zone, and means UTC.
 * https://pipedrive.readme.io/docs/core-api-concepts-date-format
 */
export const instant: Transform = {
  ...dateTime,
  name: "instant",
  decode: (native, context) =>
    dateTime.decode(typeof native === "string" ? native.replace(/^(\S+) (\S+)$/, "$1T$2Z") : native, context)
}

/**
 * How API v1 pages. The description of leads has the flag one level higher than its answers.
 * https://pipedrive.readme.io/docs/core-api-concepts-pagination
 */
export const offsets = {
  most: 500,
  start: "start",
  size: "limit",
  more: ["additional_data.pagination.more_items_in_collection", "additional_data.more_items_in_collection"]
}

export const stamps = (of: CommonEntries) => [
  of.readField("remote_id", "id", text),
  of.readField("remote_created_at", "add_time", instant),
  of.readField("remote_updated_at", "update_time", instant)
]

/** Why contacts, companies and deals have no `last_activity_at`: `last_activity_id` is all that API v2 gives. */
export const noActivityTime = "Pipedrive gives the id of the last activity, not its time."

/** Deleted records are kept for 30 days, API v2 marks them. */
export const deleted = (of: Entries<"remote_was_deleted">) => of.readField("remote_was_deleted", "is_deleted", boolean)

/**
 * Entries of all activities: tasks, meetings, calls and the rest are told apart by their type.
 * https://developers.pipedrive.com/docs/api/v1/Activities
 */
export const activityEntries = (of: EntriesOf<typeof Activity | typeof Meeting | typeof Task>) => [
  ...stamps(of),
  deleted(of),
  // an activity without a subject is called like its type
  of.lasting("subject", "subject", text),
  // https://developers.pipedrive.com/docs/api/v1/Activities#addActivity
  ...htmlContent(of, "note"),
  of.lasting("owner", "owner_id", numericId),
  of.field("account", "org_id", numericId),
  of.field("opportunity", "deal_id", numericId)
]

/** Keys of custom fields: https://pipedrive.readme.io/docs/core-api-concepts-custom-fields */
export const isCustomKey = (name: string) => /^[0-9a-f]{40}(\.|$)/.test(name)

/**
 * The mapping of a resource with one native type. API v2 has the keys of custom fields in `custom_fields`, v1 beside the
 * others. https://pipedrive.readme.io/docs/core-api-concepts-custom-fields
 */
export const mappingOf = <F extends Fields>(
  resource: Shape<F>,
  root: "" | "custom_fields",
  make: MakeVariants<F>
): Mapping => ({
  ...variantsOf(resource, make),
  blank: null,
  root,
  // keys of custom fields are known by their form; other names are of standard fields
  nativePath: (named) => (root !== "" && isCustomKey(named) ? `${root}.${named}` : named),
  dialect: {
    text,
    providerId: numericId,
    date,
    dateTime: instant,
    number,
    integer,
    boolean,
    object: raw,
    list: raw,
    raw
  }
})
