import type { CompiledVariant } from "../../mapping/Compile.ts"

const ofActivities = [
  ...["next_activity_id", "last_activity_id", "activities_count", "done_activities_count", "undone_activities_count"],
  ...["email_messages_count", "files_count", "notes_count", "followers_count", "smart_bcc_email"]
]

const ofDeals = [
  ...["open_deals_count", "closed_deals_count", "won_deals_count", "lost_deals_count"],
  ...["related_open_deals_count", "related_closed_deals_count", "related_won_deals_count", "related_lost_deals_count"]
]

const mail = ["last_incoming_mail_time", "last_outgoing_mail_time"]

/**
 * Fields that records come with only when they are asked for, by native type.
 * https://developers.pipedrive.com/docs/api/v1/Persons#getPersons (include_fields) and its like
 */
const optional: { readonly [nativeType: string]: ReadonlyArray<string> } = {
  persons: [
    ...[...ofActivities, ...ofDeals, ...mail, "marketing_status", "doi_status"],
    ...["participant_open_deals_count", "participant_closed_deals_count"]
  ],
  organizations: [...ofActivities, ...ofDeals, "people_count"],
  deals: [...ofActivities, ...mail, "first_won_time", "products_count", "participants_count", "source_lead_id"],
  activities: ["attendees"]
}

/** Those that a variant reads; undefined where it reads none. */
export const optionalFields = ({ nativeType, reads }: CompiledVariant): string | undefined => {
  const read = optional[nativeType]?.filter((name) =>
    reads.some((path) => path === name || path.startsWith(`${name}.`))
  )
  return read === undefined || read.length === 0 ? undefined : read.join(",")
}
