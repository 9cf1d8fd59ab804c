import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { TaxRate } from "../../canonical/accounting/TaxRate.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import { type Bundle, type ComputedEntry, getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { Invalid, Malformed, ProviderError } from "../ProviderError.ts"
import { amountOf, company, identity } from "./Common.ts"
import { active, oneOf, withInactive } from "./Conditions.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"
import { chargedBy, detailsOf, isCompound, percentOf, rateId } from "./TaxCharge.ts"

/**
 * Lines name tax codes, so a canonical tax rate is a code, and the code's rates are its components. The tax service creates
 * codes with their rates; they do not change afterwards. The pseudo codes TAX and NON have no rates.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/taxcode
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/taxservice
 */

const sides = [
  ["SALES", "SalesTaxRateList"],
  ["PURCHASE", "PurchaseTaxRateList"]
] as const

const ratesOf = ({ parts }: Bundle) => natives(parts?.rates)

const rateOf = (bundle: Bundle, detail: Native): Native | undefined =>
  ratesOf(bundle).find((rate) => String(rate.Id) === rateId(detail))

/** The details that count: those for sales, or else those for purchases. */
const detailsThatCount = (record: Native): ReadonlyArray<Native> =>
  sides.map(([, list]) => detailsOf(record, list)).find((details) => details.length > 0) ?? []

const lists = sides.map(([, list]) => list)

/** Sums over the details of a code; null for a code without details. */
const rate = <N extends string>(
  of: Entries<N>,
  canonical: N,
  add: (bundle: Bundle, all: ReadonlyArray<Native>, detail: Native) => Decimal,
  encode?: NonNullable<ComputedEntry["encode"]>
) =>
  of.computed({
    ...(encode === undefined ? {} : { encode }),
    canonical,
    native: lists,
    parts: ["rates"],
    decode: (bundle) => {
      const all = detailsThatCount(bundle.record)
      if (all.length === 0) return null
      return all.reduce((sum, detail) => sum.plus(add(bundle, all, detail)), new Decimal(0)).toNumber()
    }
  })

/** Names are compared ignoring case. */
const key = (name: unknown) => String(name).toLowerCase()

/** A rate of a new code. */
const detailOf = ({ component_type, name, rate }: Native): Native => ({
  TaxRateName: name,
  RateValue: rate,
  TaxApplicableOn: component_type === "PURCHASE" ? "Purchase" : "Sales"
})

const components = computed({
  canonical: "tax_components",
  native: lists,
  parts: ["rates"],
  decode: (bundle, context) =>
    sides.flatMap(([component_type, list]) =>
      detailsOf(bundle.record, list).map((detail) => {
        const found = rateOf(bundle, detail)
        return {
          id: `urn:uuid:${context.reference("tax_component", "TaxRate", rateId(detail))}`,
          remote_id: rateId(detail),
          name: found?.Name ?? null,
          rate: found?.RateValue ?? null,
          is_compound: isCompound(detail),
          component_type,
          remote_was_deleted: false
        }
      })
    ),
  encode: (value, { body, lookups, prefix, refuse, set, warn }) => {
    const all = natives(value)
    const taken = new Set(natives(lookups.namesakes).map(({ Name }) => key(Name)))
    const named = all.map((component, i) => {
      const { name } = component
      const own = taken.has(key(name)) ? `${String(body.name)} ${String(name)}` : name
      taken.add(key(own))
      if (own !== name)
        warn(`${prefix}tax_components.${i}.name`, "CHANGED", `is held as ${String(own)}: no two rates share a name`)
      return { ...component, name: own }
    })
    for (const [i, component] of all.entries()) {
      if (component.is_compound !== true) continue
      const path = `${prefix}tax_components.${i}.is_compound`
      // a compound tax without another tax beneath it is a plain one
      if (all.length === 1) warn(path, "CHANGED", "is held as false: there is no other tax beneath it")
      else refuse(path, "QuickBooks Online takes no compound taxes through its API")
    }
    set("TaxRateDetails", named.map(detailOf))
  }
})

/** A rate without components is its own component; otherwise it is their sum. */
const ofOneRate: NonNullable<ComputedEntry["encode"]> = (value, { body, prefix, refuse, set }) => {
  if (typeof value !== "number") return
  const parts = natives(body.tax_components)
  if (parts.length === 0) return set("TaxRateDetails", [detailOf({ name: body.name, rate: value })])
  const sums = sides.map(([side]) =>
    parts
      .filter(({ component_type }) => (component_type ?? "SALES") === side)
      .reduce((sum, { rate }) => sum.plus(amountOf(rate) ?? 0), new Decimal(0))
  )
  if (!sums.some((sum) => sum.equals(value))) refuse(`${prefix}total_tax_rate`, "is not the sum of tax_components")
}

const mapping = plainMapping(TaxRate, (of) => [
  of.variant({
    nativeType: "TaxCode",
    entries: [
      ...identity(of),
      of.computed({
        canonical: "name",
        native: ["Name"],
        decode: ({ record }) => record.Name,
        encode: (value, { lookups, set }) => {
          set("TaxCode", value)
          set("TaxAgencies", lookups.agencies)
        }
      }),
      of.computed({
        canonical: "code",
        native: ["Name"],
        decode: ({ record }) => record.Name,
        encode: (value, { body, prefix, warn }) => {
          if (value !== null && value !== body.name) warn(`${prefix}code`, "CHANGED", "is the name here")
        }
      }),
      of.readField("description", "Description", text),
      // the tax service creates active codes only
      of.computed({
        canonical: "status",
        native: ["Active"],
        decode: ({ record }) => (record.Active === false ? "ARCHIVED" : "ACTIVE"),
        encode: () => {}
      }),
      of.computed({
        canonical: "country",
        native: [],
        lookups: ["company"],
        decode: ({ lookups }) => getPath(lookups, "company.Country")
      }),
      rate(of, "total_tax_rate", (bundle, _, detail) => percentOf(ratesOf(bundle), detail), ofOneRate),
      rate(of, "effective_tax_rate", (bundle, all, detail) => chargedBy(ratesOf(bundle), all, detail)),
      components(of),
      company(of)
    ],
    notHeld: {}
  })
])

const fail = (reason: Invalid | Malformed) =>
  new ProviderError({ provider: "quickbooks", operation: "TaxService.create", reason })

export const taxRate = (books: Books): ResourceAdapter => {
  const { ask, queries } = books
  const {
    create: _,
    patch: __,
    remove: ___,
    replace: ____,
    ...verbs
  } = entities(books, mapping, [
    {
      name: "TaxCode",
      removal: "deactivate",
      isForgotten: true,
      filters: { status: active("ARCHIVED") },
      parts: {
        rates: {
          entity: "TaxRate",
          isShort: true,
          where: [withInactive],
          idsOf: (record) => lists.flatMap((name) => detailsOf(record, name).map(rateId))
        }
      }
    }
  ])

  /** Reads the rates that share a name with one in the body, and the tax agencies. */
  const related: NonNullable<ResourceAdapter["related"]> = Effect.fnUntraced(function* ({ body, connection }) {
    const names = natives(body.tax_components).flatMap(({ name }) => (typeof name === "string" ? [name] : []))
    const [agencies, ...rates] = yield* queries(connection, [
      { name: "TaxAgency", where: [] },
      ...(names.length === 0 ? [] : [{ name: "TaxRate", where: [oneOf("Name", names), withInactive] }])
    ])
    const namesakes = yield* Effect.all(rates)
    return { agencies: agencies === undefined ? [] : yield* agencies, namesakes: namesakes.flat() }
  })

  return {
    ...verbs,
    related,
    rules: [{ rule: "oneOf", fields: ["total_tax_rate", "tax_components"] }],
    create: Effect.fnUntraced(function* ({ connection, encoded }) {
      // the tax agency: the only one there is, or the one that `integration_params` names
      const { TaxAgencyId, TaxAgencies, ...record } = encoded.record
      const [only, ...others] = natives(TaxAgencies)
      const agency = TaxAgencyId ?? (others.length === 0 ? only?.Id : undefined)
      if (agency === undefined) {
        return yield* fail(
          new Invalid({
            fields: { TaxAgencyId: "the company has no or several tax agencies: name one in integration_params" }
          })
        )
      }
      const { body } = yield* ask(connection, {
        operation: "TaxService.create",
        method: "POST",
        path: "taxservice/taxcode",
        json: {
          ...record,
          TaxRateDetails: natives(record.TaxRateDetails).map((detail) => ({ TaxAgencyId: agency, ...detail }))
        }
      })
      const id = getPath(body, "TaxCodeId")
      return typeof id === "string" ? { id } : yield* fail(new Malformed())
    })
  }
}
