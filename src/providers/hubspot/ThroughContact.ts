import { Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import type { Encoded } from "../../mapping/Encode.ts"
import { getPath, isNative, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { afterDoing, beneath, differences, type Made, orTakeBack } from "../base/CompoundWrite.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Clauses, wide } from "../Filtering.ts"
import type {
  CreateRequest,
  ListRequest,
  NativeRecord,
  ResourceAdapter,
  Target,
  UpdateRequest
} from "../ProviderAdapter.ts"
import { Invalid, ProviderError } from "../ProviderError.ts"
import { linked } from "./Association.ts"
import { email, isIn, phone } from "./Clauses.ts"
import { inLeadStatus } from "./LeadStages.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { blameLink, isLinks, type Links, notLinkable } from "./Links.ts"
import { objects, under, writes } from "./Objects.ts"
import { anything, type Groups, readBatch, searching } from "./Search.ts"

// A lead hangs on a contact, which holds the data of the person: it is read with the lead, into `contact` of the native
// record, and written before the lead, which HubSpot makes only for a contact that exists.
// https://developers.hubspot.com/docs/guides/api/crm/objects/leads

/** The lead's primary contact. */
export const toContact = { to: "contacts", type: "lead_to_primary_contact", primary: true }

const step = `associations.${toContact.to}`

const linkTo = (id: string): Links => ({ to: toContact.to, primary: true, link: [id], unlink: [] })

/** The contact that a write puts the lead on, if it says so. */
const newContactOf = ({ steps }: Encoded): string | undefined => {
  const links = steps[step]
  return isLinks(links) ? links.link[0] : undefined
}

const operation = "contacts.read"
const contactsPath = "/crm/v3/objects/contacts"

/** Most contacts whose leads a search can ask for. */
const mostContacts = 100

/** Where a lead holds the data of its person. */
const base = "contact.properties"

const propertiesOf = (record: unknown): Native => {
  const properties = getPath(record, "properties")
  return isNative(properties) ? properties : {}
}

/** Properties of the person in a write. */
const personOf = ({ record }: Encoded) => propertiesOf(record.contact)

const refusal = (reason: Invalid) => Effect.fail(new ProviderError({ provider: "hubspot", operation, reason }))

const present = (value: unknown) => typeof value === "string" && value !== ""

/** The name of a lead that was given none: the person, and their company. */
const nameOf = ({ company, email, firstname, lastname }: Native): string =>
  [[firstname, lastname].filter(present).join(" "), company].filter(present).join(" - ") || String(email ?? "")

const readsPerson = ({ reads }: CompiledVariant) => reads.some((path) => path.startsWith(`${base}.`))

/** A variant that also reads the link to the contact, if it reads anything of the person. */
const withLink = (variant: CompiledVariant): CompiledVariant =>
  readsPerson(variant) ? { ...variant, reads: [...new Set([...variant.reads, step])] } : variant

interface Facts {
  readonly filters: Clauses<Groups>
  /** Lead pipelines of an account. */
  readonly pipelines: (connection: ConnectionRef) => Effect.Effect<ReadonlyArray<Native>, ProviderError>
}

/** The adapter of leads: their operations as objects, and the contact's beside them. */
export const throughContact = (
  call: Caller,
  typeOf: LinkTypes,
  mapping: Mapping,
  { filters, pipelines }: Facts
): ResourceAdapter => {
  const leads = objects(call, typeOf, mapping, { filters: { leads: filters } })
  const write = writes(call)

  const contactsOf = (connection: ConnectionRef, { reads }: CompiledVariant, ids: ReadonlyArray<string>) =>
    readBatch(call, connection, operation, contactsPath, ids, under(`${base}.`, reads))

  /** Finds the leads of the contacts sought; if those are many, all leads. */
  const ofContacts = ({ connection, wanted }: ListRequest, filter: "email" | "phone") => {
    const sought = wanted[filter]
    const groups = sought && (filter === "email" ? email : phone).say(sought)
    if (groups === undefined) return Effect.succeed({})
    const cut = { groups: groups ?? [], query: undefined, exact: [], left: [] }
    const search = searching(call, connection, { cut, nativeType: "contacts", path: contactsPath, properties: [] })
    const found = groups === null ? Effect.succeed({ records: [], next: null }) : search(null, mostContacts)
    return Effect.map(found, ({ next, records }): Clauses<Groups> => {
      const ids = records.map(({ record }) => String(record.id))
      const said = next !== null ? anything : ids.length === 0 ? null : isIn("associations.contact", ids)
      return { [filter]: wide(() => said) }
    })
  }

  /** Clauses for filters by data that leads do not hold themselves. */
  const further = (request: ListRequest) =>
    Effect.map(
      Effect.all(
        [
          ofContacts(request, "email"),
          ofContacts(request, "phone"),
          request.wanted.status === undefined
            ? Effect.succeed({})
            : Effect.map(pipelines(request.connection), (loaded) => ({ status: inLeadStatus(loaded) }))
        ],
        { concurrency: "unbounded" }
      ),
      (all): Clauses<Groups> => Object.assign({}, ...all)
    )

  /** Leads with their contacts in them, which are read in one batch. */
  const withContacts = (connection: ConnectionRef, variant: CompiledVariant, found: ReadonlyArray<NativeRecord>) => {
    const ids = readsPerson(variant) ? [...new Set(found.flatMap(({ record }) => linked(record, toContact) ?? []))] : []
    if (ids.length === 0) return Effect.succeed(found)
    return Effect.map(contactsOf(connection, variant, ids), (byId) =>
      found.map((one): NativeRecord => {
        const contact = byId.get(linked(one.record, toContact) ?? "")
        return contact === undefined ? one : { ...one, record: { ...one.record, contact } }
      })
    )
  }

  const get = (target: Target) =>
    Effect.gen(function* () {
      const found = yield* leads.get({ ...target, variant: withLink(target.variant) })
      const [whole = found] = yield* withContacts(target.connection, target.variant, [found])
      return whole
    })

  /**
   * The properties of the contact that a lead is put on. The contact is not the lead's alone: a write leaves it as it is,
   * and must agree with it where handling is strict.
   */
  const joined = ({ connection, encoded, handling, variant }: Omit<CreateRequest, "idempotencyKey">, id: string) =>
    Effect.gen(function* () {
      const found = yield* Effect.mapError(contactsOf(connection, variant, [id]), blameLink(toContact.to))
      const contact = found.get(id)
      if (contact === undefined) return yield* refusal(notLinkable(toContact.to))
      const fields = differences(variant, { contact }, { owner: "contact", base, said: personOf(encoded) })
      if (handling === "strict" && Object.keys(fields).length > 0) return yield* refusal(new Invalid({ fields }))
      return propertiesOf(contact)
    })

  const make = (connection: ConnectionRef, properties: Native, made: Array<Made>) =>
    Effect.gen(function* () {
      const id = yield* Effect.mapError(write.create(connection, "contacts", { properties }), beneath("contact"))
      made.push({ name: "contact", remove: write.archive(connection, "contacts", id) })
      return id
    })

  const update = (request: UpdateRequest) => {
    const made: Array<Made> = []
    const { connection, encoded } = request
    const { contact: _, ...record } = encoded.record
    const said = personOf(encoded)
    const own = { ...encoded, record }
    const rest = (steps: Encoded["steps"] = {}) =>
      leads.patch({ ...request, encoded: { ...own, steps: { ...encoded.steps, ...steps } } })
    const written = Effect.gen(function* () {
      if (Object.keys(said).length === 0) return yield* rest()
      const other = newContactOf(encoded)
      if (other !== undefined) return yield* Effect.zipRight(joined(request, other), rest())
      const { current } = request
      const held = current ?? (yield* leads.get({ ...request, variant: withLink(request.variant) }))
      const known = linked(held.record, toContact)
      const before = propertiesOf(held.record.contact)
      const differing = Object.fromEntries(
        Object.entries(said).filter(([name, value]) => value !== (before[name] ?? ""))
      )
      // the data of the existing contact was not read
      const changed = current === undefined && known !== undefined ? said : differing
      if (Object.keys(changed).length === 0) return yield* rest()
      // the contact that the lead had is gone
      if (known === undefined) return yield* rest({ [step]: linkTo(yield* make(connection, changed, made)) })
      yield* write
        .update(connection, "contacts", known, changed)
        .pipe(
          Effect.mapError((error) =>
            error.reason._tag === "Missing" ? blameLink(toContact.to)(error) : beneath("contact")(error)
          )
        )
      if (Object.keys(own.record).length > 0 || Object.keys(own.steps).length > 0) {
        return yield* Effect.mapError(rest(), afterDoing(["contact"]))
      }
      // the lead itself is as it was
      const { contact: __, ...lead } = held.record
      const [whole] = yield* Effect.orElseSucceed(
        withContacts(connection, request.variant, [{ ...held, record: lead }]),
        () => []
      )
      return { id: request.id, ...(whole === undefined ? {} : { record: whole }) }
    })
    return orTakeBack(written, made)
  }

  return {
    ...leads,
    finds: [...leads.finds, "status"],
    list: (request) =>
      Effect.gen(function* () {
        const variants = request.mapping.variants.map(withLink)
        const mapping = {
          ...request.mapping,
          variants,
          variant: (type: string) => variants.find(({ nativeType }) => nativeType === type)
        }
        const page = yield* leads.list({ ...request, mapping }, yield* further(request))
        const [variant] = variants
        return variant === undefined
          ? page
          : { ...page, records: yield* withContacts(request.connection, variant, page.records) }
      }),
    get,
    getMany: (targets) =>
      Effect.flatMap(leads.getMany({ ...targets, variant: withLink(targets.variant) }), (found) =>
        withContacts(targets.connection, targets.variant, found)
      ),
    create: (request) => {
      const made: Array<Made> = []
      const { connection, encoded } = request
      const { contact: _, ...record } = encoded.record
      const said = personOf(encoded)
      const known = newContactOf(encoded)
      const written = Effect.gen(function* () {
        const person = known === undefined ? said : yield* joined(request, known)
        const id = known ?? (yield* make(connection, said, made))
        const properties = { hs_lead_name: nameOf(person), ...propertiesOf(record) }
        const steps = { ...encoded.steps, [step]: linkTo(id) }
        return yield* leads.create({ ...request, encoded: { ...encoded, record: { ...record, properties }, steps } })
      })
      return orTakeBack(written, made)
    },
    replace: update,
    patch: update
  }
}
