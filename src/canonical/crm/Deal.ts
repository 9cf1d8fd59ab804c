import { date, dateTime, literal, number, providerId, readOnly, required, resource, share, text } from "../Resource.ts"
import { begins, oneOf, refers, searches } from "../Filter.ts"

/** Sales opportunity. */
export const Deal = resource({
  category: "crm",
  name: "deal",
  class: "writable",
  description: "sales opportunity",
  fields: {
    name: required(text("display name")),
    description: text("free text"),
    amount: number("expected value in `currency`, major units"),
    currency: text("ISO 4217; company default when absent"),
    stage: providerId("provider stage id (pipeline.stages[].remote_id)", "pipeline.stage"),
    pipeline: providerId("provider pipeline id; the provider's default when absent", "pipeline"),
    status: literal("derived from the stage where the provider has no status of its own", "OPEN", "WON", "LOST"),
    close_date: date("expected close while open, actual close after"),
    probability: share("0 to 1"),
    owner: providerId("responsible user", "owner"),
    account: providerId("company the record is linked to", "company"),
    contact: providerId("primary person", "contact"),
    last_activity_at: readOnly(dateTime("last interaction recorded"))
  },
  filters: {
    name: begins("name"),
    account: refers("account"),
    contact: refers("contact"),
    owner: refers("owner"),
    pipeline: refers("pipeline"),
    stage: refers("stage"),
    status: oneOf("status"),
    q: searches()
  }
})
