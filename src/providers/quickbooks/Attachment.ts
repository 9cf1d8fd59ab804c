import { Attachment } from "../../canonical/accounting/Attachment.ts"
import { getPath, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { integer, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { company, identity } from "./Common.ts"
import { beginning } from "./Conditions.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"
import { files, types } from "./Files.ts"

/**
 * Files, and notes without a file, as records: their links to a download are good for a quarter of an hour. One may hang
 * on several records; the first one is told.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/attachable
 */

/** The resources of what files hang on, by entity in lower case: links write it either way. */
const resources: ReadonlyMap<string, readonly [resource: string, nativeType: string]> = new Map(
  Object.entries({
    Account: "account",
    Bill: "invoice",
    BillPayment: "payment",
    CreditMemo: "credit_note",
    Customer: "contact",
    Deposit: "transaction",
    Employee: "employee",
    Invoice: "invoice",
    Item: "item",
    JournalEntry: "journal_entry",
    Payment: "payment",
    Purchase: "expense",
    PurchaseOrder: "purchase_order",
    RefundReceipt: "transaction",
    SalesReceipt: "transaction",
    Transfer: "transaction",
    Vendor: "contact",
    VendorCredit: "vendor_credit"
  }).map(([nativeType, resource]) => [nativeType.toLowerCase(), [resource, nativeType]])
)

const linked = (record: unknown) => {
  const [ref] = natives(getPath(record, "AttachableRef"))
  const id = getPath(ref, "EntityRef.value")
  const [resource, nativeType] = resources.get(String(getPath(ref, "EntityRef.type")).toLowerCase()) ?? []
  return resource === undefined || nativeType === undefined || id === undefined
    ? undefined
    : { resource, nativeType, id: String(id) }
}

const mapping = plainMapping(Attachment, (of) => [
  of.variant({
    nativeType: "Attachable",
    entries: [
      ...identity(of),
      of.field("file_name", "FileName", text),
      of.readField("file_url", "TempDownloadUri", text),
      of.readField("content_type", "ContentType", text),
      of.readField("file_size", "Size", integer),
      of.computed({
        canonical: "related_object_type",
        native: ["AttachableRef"],
        decode: ({ record }) => linked(record)?.resource
      }),
      of.computed({
        canonical: "related_object_id",
        native: ["AttachableRef"],
        decode: ({ record }, context) => {
          const found = linked(record)
          return found === undefined ? null : context.reference(found.resource, found.nativeType, found.id)
        }
      }),
      company(of)
    ],
    notHeld: {}
  })
])

/** Transactions, items and names; the others come from elsewhere. */
const parents = [...resources.values()]
  .map(([, nativeType]) => nativeType)
  .filter((nativeType) => nativeType !== "Account" && nativeType !== "Employee")

export const attachment = (books: Books): ResourceAdapter => {
  const { create: _, ...verbs } = entities(books, mapping, [
    { name: "Attachable", removal: "delete", isForgotten: true, filters: { name: beginning("FileName") } }
  ])
  const { download, send } = files(books)
  return { ...verbs, upload: { types, parents, send }, download }
}
