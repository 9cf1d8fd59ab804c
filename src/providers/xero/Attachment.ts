import { Array as Arr, Effect, type Exit } from "effect"
import { Attachment } from "../../canonical/accounting/Attachment.ts"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import { integer, text } from "../../mapping/Transform.ts"
import { type Fetch, inOrder, type Slice } from "../base/Paginator.ts"
import { within } from "../base/EmbeddedRecords.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter, Target, UpdateRequest } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"
import { accounts } from "./Account.ts"
import { company, mappingOf } from "./Common.ts"
import { contacts } from "./Contact.ts"
import { credits } from "./Credits.ts"
import { documentKind } from "./Documents.ts"
import { files, largest, types } from "./Files.ts"
import { invoices } from "./Invoice.ts"
import { manualJournals } from "./JournalEntry.ts"
import { endpoints, type Kind, missing } from "./Objects.ts"
import { purchaseOrders } from "./PurchaseOrders.ts"
import { library } from "./Scopes.ts"
import { bankTransfers } from "./Transaction.ts"

/**
 * Files on records, with ids like `Invoices:<id of the invoice>:<id of the file>`. Xero lists them record by record, so those
 * records that have some are walked through.
 * https://developer.xero.com/documentation/api/accounting/attachments
 */

interface Parent {
  readonly kind: Kind
  /** The resource that its records are of; a function where a record tells it. */
  readonly resource: string | ((record: Native) => string)
}

const withFiles = (kind: Kind): Kind => ({
  ...kind,
  // lists that take no conditions are looked through
  ...(kind.isUnconditional === true ? {} : { where: [...(kind.where ?? []), "HasAttachments==true"] }),
  isOne: (record) => record.HasAttachments === true && (kind.isOne?.(record) ?? true)
})

const all: ReadonlyArray<Parent> = [
  { kind: invoices, resource: "invoice" },
  { kind: credits, resource: ({ Type }) => (Type === "ACCPAYCREDIT" ? "vendor_credit" : "credit_note") },
  {
    kind: {
      ...documentKind,
      nativeType: "BankTransaction",
      endpoint: "BankTransactions",
      id: "BankTransactionID",
      where: ['Status=="AUTHORISED"'],
      isOne: ({ Status, Type }) => Status === "AUTHORISED" && (Type === "SPEND" || Type === "RECEIVE")
    },
    resource: ({ Type }) => (Type === "SPEND" ? "expense" : "transaction")
  },
  { kind: bankTransfers, resource: "transaction" },
  { kind: manualJournals, resource: "journal_entry" },
  { kind: purchaseOrders, resource: "purchase_order" },
  { kind: contacts, resource: "contact" },
  { kind: accounts, resource: "account" }
]

const parents = all.map(({ kind, resource }): Parent => ({ kind: withFiles(kind), resource }))

const noTimes = "Xero lists the attachments of a record without times; only its file library has them."

const mapping = mappingOf(Attachment, (of) => [
  of.variant({
    nativeType: "Attachment",
    entries: [
      of.readField("remote_id", "Id", text),
      of.constant("remote_was_deleted", false),
      of.field("file_name", "FileName", text),
      of.readField("file_url", "Url", text),
      of.readField("content_type", "MimeType", text),
      of.readField("file_size", "ContentLength", integer),
      of.readField("related_object_type", "Parent.resource", text),
      of.computed({
        canonical: "related_object_id",
        native: ["Parent"],
        decode: ({ record }, context) => {
          const [resource, type, id] = ["resource", "type", "id"].map((name) => getPath(record, `Parent.${name}`))
          return context.reference(String(resource), String(type), String(id))
        }
      }),
      company(of)
    ],
    notHeld: { remote_created_at: noTimes, remote_updated_at: noTimes }
  })
])

/** Parents that a page looks at, each by a call of its own, and those looked at together. */
const looks = { most: 50, together: 5 } as const

/** Records of a page of those that have no conditions, of which few have files. */
const searched = 999

type Pages = (position: string | null) => Effect.Effect<Slice, ProviderError>

/**
 * Lists that are gone through one after the other. Once the first of them has ended there is room left, so that the others
 * begin side by side.
 */
const sideBySide = (lists: ReadonlyArray<Pages>): ReadonlyArray<Pages> => {
  const begun = new Map<number, Exit.Exit<Slice, ProviderError>>()
  let isFirst = true
  return lists.map((list, index) =>
    Effect.fnUntraced(function* (position) {
      const isAhead = position === null && !isFirst
      isFirst = false
      if (!isAhead) return yield* list(position)
      if (!begun.has(index)) {
        yield* Effect.forEach(
          lists.slice(index),
          (one, i) => Effect.map(Effect.exit(one(null)), (exit) => begun.set(index + i, exit)),
          { concurrency: "unbounded", discard: true }
        )
      }
      return yield* begun.get(index) ?? list(position)
    })
  )
}

export const attachment = (call: Caller): ResourceAdapter => {
  const { pages, read } = endpoints(call)
  const { download, list, remove, rename, send } = files(call)

  const recordOf = ({ kind }: Parent, about: { readonly resource: string; readonly id: string }, file: Native) => ({
    nativeType: "Attachment",
    record: {
      ...file,
      Id: `${kind.endpoint}:${about.id}:${String(file.AttachmentID)}`,
      Parent: { ...about, type: kind.nativeType }
    }
  })

  const filesOf = (
    connection: ConnectionRef,
    parent: Parent,
    about: { readonly resource: string; readonly id: string }
  ) =>
    Effect.map(list({ connection, endpoint: parent.kind.endpoint, id: about.id }), (found) =>
      found.map((file) => recordOf(parent, about, file))
    )

  const get = Effect.fnUntraced(function* ({ connection, id }: Pick<Target, "connection" | "id">) {
    const [endpoint, parentId = ""] = id.split(":")
    const parent = parents.find(({ kind }) => kind.endpoint === endpoint)
    if (parent === undefined) return yield* missing("Attachments.get")
    const { kind, resource } = parent
    const about = {
      resource: typeof resource === "string" ? resource : resource((yield* read(connection, kind, parentId)).record),
      id: parentId
    }
    const found = yield* filesOf(connection, parent, about)
    return found.find((one) => one.record.Id === id) ?? (yield* missing("Attachments.get"))
  })

  const ownerOf = ({ connection, id }: Pick<Target, "connection" | "id">) => {
    const [endpoint = "", parent = ""] = id.split(":")
    return { connection, endpoint, id: parent }
  }

  const update = Effect.fnUntraced(function* (request: UpdateRequest) {
    const { record } = yield* get(request)
    yield* rename(ownerOf(request), record, request.encoded.record)
    return { id: request.id }
  })

  return {
    mapping,
    requires: [library],
    needs: ["related_object_type", "related_object_id"],
    consistency: "anchored",

    list: ({ connection, limit, position }) => {
      // a file that is added is no change of its record, so that filters of files say nothing of records
      const lists = parents.map(({ kind }): Pages => {
        const fetch = pages({ connection, wanted: {} }, kind)
        return (position) => fetch(position, kind.isUnconditional === true ? searched : looks.most)
      })
      const each = (parent: Parent, list: Pages) => {
        const { kind, resource } = parent
        const found = new Map<string, ReadonlyArray<NativeRecord>>()
        const keyOf = ({ record }: NativeRecord) => String(record[kind.id])
        const look = ({ record }: NativeRecord) => {
          const about = {
            resource: typeof resource === "string" ? resource : resource(record),
            id: String(record[kind.id])
          }
          return Effect.tap(filesOf(connection, parent, about), (files) =>
            Effect.sync(() => found.set(about.id, files))
          )
        }
        /** A page of records with the files of the first of them, as many as are wanted. */
        const fetch: Fetch = Effect.fnUntraced(function* (position, size) {
          const slice = yield* list(position)
          let [seen, files] = [0, 0]
          for (const some of Arr.chunksOf(slice.records, looks.together)) {
            if (files >= size || seen >= looks.most) break
            const held = yield* Effect.forEach(some, look, { concurrency: "unbounded" })
            files += held.flat().length
            seen += some.length
          }
          return seen === slice.records.length || slice.upTo === undefined
            ? slice
            : { ...slice, records: slice.records.slice(0, seen), next: slice.upTo(seen) }
        })
        return within(
          ({ record }) => String(record.Id),
          (one) => found.get(keyOf(one)) ?? [],
          fetch
        )
      }
      return inOrder("xero", Arr.zipWith(parents, sideBySide(lists), each))(position, limit)
    },

    get,
    replace: update,
    patch: update,
    remove: Effect.fnUntraced(function* (target) {
      const { record } = yield* get(target)
      yield* remove(ownerOf(target), record)
    }),

    upload: {
      types,
      limit: largest,
      parents: parents.map(({ kind }) => kind.nativeType),
      send: Effect.fnUntraced(function* ({ connection, encoded, file, parent: about }) {
        const parent = parents.find(({ kind }) => kind.nativeType === about?.nativeType)
        // the catalogue asks for one, so there is one
        if (parent === undefined || about === undefined) return yield* missing("Attachments.create")
        const owner = { connection, endpoint: parent.kind.endpoint, id: about.id }
        const record = recordOf(parent, about, yield* send(owner, { encoded, file }))
        return { id: record.record.Id, record }
      })
    },

    download: (target) => {
      const owner = ownerOf(target)
      const [, , file = ""] = target.id.split(":")
      return parents.some(({ kind }) => kind.endpoint === owner.endpoint)
        ? download(owner, file)
        : Effect.fail(missing("Attachments.content"))
    }
  }
}
