import { assert, describe, it } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Invoice } from "../../src/canonical/accounting/Invoice.ts"
import { PurchaseOrderLineItem } from "../../src/canonical/accounting/Nested.ts"
import { Contact } from "../../src/canonical/crm/Contact.ts"
import { Lead } from "../../src/canonical/crm/Lead.ts"
import { Owner } from "../../src/canonical/crm/Owner.ts"
import type { Category } from "../../src/canonical/Resource.ts"
import { type Entries, heldBy, type ResourceEntries } from "../../src/mapping/Entries.ts"
import type { DocumentLine, DocumentLines } from "../../src/mapping/LineParts.ts"
import { plainMapping } from "../../src/mapping/PlainMapping.ts"
import type { FieldEntry, Mapping } from "../../src/mapping/Mapping.ts"
import { number, text } from "../../src/mapping/Transform.ts"
import { faultsOf } from "../../src/providers/AdapterCheck.ts"
import { bearer } from "../../src/providers/base/Authorization.ts"
import { allBut } from "../support/NotHeld.ts"

const names = (of: Entries<"first_name" | "last_name">) => [
  of.field("first_name", "first", text),
  of.field("last_name", "last", text)
]

const titled = (of: Entries<"title">) => [of.field("title", "job", text)]

const emails = (of: ResourceEntries<Pick<typeof Contact.fields, "email_addresses">>) =>
  of.labelled("email_addresses", "email_address_type", "email_address", { WORK: "email" }, text)

/** The faults that registration finds, which is the only check for plain JavaScript. */
const faults = (category: Category, name: string, mapping: Mapping) =>
  faultsOf({
    slug: "close",
    name: "Close",
    category,
    authorization: { kind: "key", help: "", apply: bearer },
    lookups: {},
    resources: { [name]: { mapping, consistency: "exact", list: () => Effect.succeed({ records: [], next: null }) } }
  }).map((fault) => fault.replace(`provider close, resource ${name}: `, ""))

/** The type checker is the judge: an expected error that is none fails. */
describe("entries that know their resource", () => {
  it("take its names, in lines too, and pieces that need no others", () => {
    const { resource, variants } = plainMapping(Contact, (of) => [
      of.variant({
        nativeType: "person",
        entries: [...names(of), emails(of)],
        notHeld: allBut(Contact, "first_name", "last_name", "email_addresses")
      }),
      of.variant({
        nativeType: "people",
        entries: [
          of.lines("phone_numbers", {
            native: "phones",
            forms: ({ field }) => [{ where: {}, entries: [field("phone_number", "value", text)] }]
          }),
          of.slots("addresses", null, ({ field }) => [{ is: null, entries: [field("city", "city", text)] }])
        ],
        notHeld: allBut(Contact, "phone_numbers", "addresses")
      })
    ])
    assert.strictEqual(resource, "contact")
    assert.deepStrictEqual(
      variants.map(({ entries }) => entries.map((entry) => [entry.kind, entry.canonical])),
      [
        [
          ["field", "first_name"],
          ["field", "last_name"],
          ["slots", "email_addresses"]
        ],
        [
          ["lines", "phone_numbers"],
          ["slots", "addresses"]
        ]
      ]
    )
    const lead = plainMapping(Lead, (of) => [
      of.variant({ nativeType: "lead", entries: [emails(of)], notHeld: allBut(Lead, "email_addresses") })
    ])
    assert.lengthOf(lead.variants, 1)
  })

  it("do not compile with a name that the resource lacks", () => {
    const mapping = plainMapping(Contact, (of) => [
      of.variant({
        nativeType: "person",
        entries: [
          // @ts-expect-error misspelt
          of.field("frist_name", "first", text),
          // @ts-expect-error misspelt
          of.computed({ canonical: "frist_name", native: [], decode: () => null }),
          // @ts-expect-error misspelt
          of.group({ canonical: ["first_name", "lst_name"], native: [], decode: () => [], encode: () => [] }),
          // @ts-expect-error misspelt
          of.lasting("las_name", "last", text)
        ],
        notHeld: allBut(Contact)
      })
    ])
    assert.deepStrictEqual(faults("crm", "contact", mapping), [
      '"frist_name" is not a field of crm/contact; did you mean "first_name"?',
      '"lst_name" is not a field of crm/contact; did you mean "last_name"?',
      '"las_name" is not a field of crm/contact; did you mean "last_name"?',
      '"person" maps "first_name", so its notHeld must not have it'
    ])
  })

  it("do not compile with a name that what a list holds lacks", () => {
    const mapping = plainMapping(Invoice, (of) => [
      of.variant({
        nativeType: "invoice",
        entries: [
          of.lines("line_items", {
            native: "lines",
            // @ts-expect-error misspelt
            forms: ({ field }) => [{ where: {}, entries: [field("quantty", "qty", number)] }]
          }),
          of.lines("number", {
            native: "lines",
            // @ts-expect-error no list
            forms: ({ field }) => [{ where: {}, entries: [field("id", "id", text)] }]
          }),
          // @ts-expect-error misspelt
          of.labelled("line_items", "decription", "quantity", {}, text)
        ],
        notHeld: allBut(Invoice, "line_items", "number")
      })
    ])
    assert.deepStrictEqual(faults("accounting", "invoice", mapping), [
      '"line_items[].quantty" is not a field of accounting/invoice; did you mean "quantity"?',
      '"line_items[].decription" is not a field of accounting/invoice; did you mean "description"?'
    ])
  })

  it("leave out of lines that documents share what this document's lack", () => {
    const kept = heldBy<DocumentLine, FieldEntry>(PurchaseOrderLineItem, (of) => [
      of.field("quantity", "qty", number),
      of.field("project", "job", text),
      // @ts-expect-error no line has it
      of.field("quantty", "qty", number)
    ])
    assert.deepStrictEqual(
      kept.map(({ canonical }) => canonical),
      ["quantity"]
    )
    // @ts-expect-error lines of orders call it otherwise
    const lines: DocumentLines<typeof PurchaseOrderLineItem> = { shape: PurchaseOrderLineItem, total: "net_amount" }
    assert.notProperty(PurchaseOrderLineItem.fields, lines.total)
  })

  it("do not compile with a piece whose names the resource lacks", () => {
    const mapping = plainMapping(Owner, (of) => [
      of.variant({
        nativeType: "user",
        entries: [
          ...names(of),
          // @ts-expect-error owners have no title
          ...titled(of),
          // @ts-expect-error owners have one address of e-mail
          emails(of)
        ],
        notHeld: allBut(Owner, "first_name", "last_name")
      })
    ])
    assert.deepStrictEqual(faults("crm", "owner", mapping), [
      '"title" is not a field of crm/owner',
      '"email_addresses" is not a field of crm/owner; did you mean "email"?'
    ])
  })

  it("do not compile without a reason for each other field", () => {
    const lost = (of: Entries<"email">): FieldEntry => of.field("email", "email", text)
    const { variants } = plainMapping(Owner, (of) => [
      of.variant({
        nativeType: "user",
        entries: [...names(of)],
        // @ts-expect-error nothing says why there is no is_active
        notHeld: Struct.omit(allBut(Owner, "first_name", "last_name"), "is_active")
      }),
      of.variant({
        nativeType: "guest",
        entries: [...names(of)],
        // @ts-expect-error an entry maps first_name
        notHeld: { ...allBut(Owner, "last_name"), first_name: "Guests have no given name." }
      }),
      of.variant({
        nativeType: "robot",
        entries: [lost(of)],
        // @ts-expect-error which field the helper maps is not known
        notHeld: allBut(Owner, "email")
      }),
      of.variant({
        nativeType: "other",
        entries: [
          // @ts-expect-error a field that is never held needs a reason
          of.constant("is_active", null)
        ],
        notHeld: allBut(Owner, "is_active")
      })
    ])
    assert.strictEqual(variants[0]?.notHeld["name"], "This test needs no such field.")
  })

  it("give one reason for the rest of a partial variant, and keep the reasons that it states", () => {
    const [variant] = plainMapping(Owner, (of) => [
      of.partialVariant({
        nativeType: "user",
        entries: names(of),
        notHeld: { email: "Users have no address." },
        rest: "Users have names only."
      })
    ]).variants
    assert.strictEqual(variant?.notHeld["email"], "Users have no address.")
    assert.strictEqual(variant?.notHeld["is_active"], "Users have names only.")
    assert.notProperty(variant?.notHeld, "first_name")
  })

  it("are never partial at a provider of this repository", () => {
    const folder = fileURLToPath(new URL("../../src/providers", import.meta.url))
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
    assert.deepStrictEqual(
      files.filter((name) => readFileSync(join(folder, name), "utf8").includes("partialVariant")),
      []
    )
  })
})
