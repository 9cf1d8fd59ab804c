import { computed, constant, field, getPath, natives, readField } from "../../mapping/Mapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { pipelineId, statusOf } from "./Pipeline.ts"
import { records } from "./Records.ts"
import { firstOf, kept, linkTo, member, objectMapping, only } from "./Values.ts"

const people = linkTo("people")
const companies = linkTo("companies")

const stageOf = (native: unknown) => natives(native)[0]?.status

// https://docs.attio.com/docs/standard-objects/standard-objects-deals
const mapping = objectMapping("deals", [
  kept("name", "values.name", only("value", text)),
  field("amount", "values.value", only("currency_value", number)),
  // an attribute has one currency for all deals
  readField("currency", "values.value", only("currency_code", text)),
  constant("pipeline", pipelineId),
  kept("stage", "values.stage", {
    name: "stage",
    decode: (native) => getPath(stageOf(native), "id.status_id") ?? null,
    encode: (id) => [{ status: id }]
  }),
  computed({
    canonical: "status",
    native: ["values.stage"],
    decode: ({ record }) => statusOf(getPath(stageOf(getPath(record, "values.stage")), "title"))
  }),
  kept("owner", "values.owner", member),
  field("account", "values.associated_company", {
    name: "company",
    decode: (native) => natives(native).map(companies.decode)[0] ?? null,
    encode: (id) => [companies.encode(id)]
  }),
  firstOf("contact", "associated_people", people.decode, people.encode)
])

export const deal = (call: Caller) => ({ ...records(call, mapping), needs: ["stage", "owner"] })
