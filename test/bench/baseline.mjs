/**
 * The call without this service: the best plain `node:http` and `undici` for one provider and one resource.
 * The same parse, the same canonical records, the same text; no keys, tenants, limits, overrides, spans or log.
 */
import { Pool } from "@effect/platform-node/Undici"
import { createHash } from "node:crypto"
import { createServer } from "node:http"

const [upstream = "", connection = "", token = ""] = process.argv.slice(2)

const properties = [
  ...["firstname", "lastname", "hubspot_owner_id", "jobtitle", "address", "city", "state", "zip", "country", "email"],
  ...["hs_additional_emails", "phone", "mobilephone", "fax", "notes_last_updated"]
]
const query = `${properties.map((name) => `properties=${name}`).join("&")}&associations=companies&archived=false`
const headers = { authorization: `Bearer ${token}`, accept: "application/json" }
const pool = new Pool(upstream, { connections: 64, pipelining: 1 })

const namespace = Buffer.from(connection.replaceAll("-", ""), "hex")
const ids = new Map()
const idOf = (remoteId) => {
  const known = ids.get(remoteId)
  if (known !== undefined) return known
  const bytes = createHash("sha1").update(namespace).update(`crm/contact/contacts/${remoteId}`).digest()
  bytes[6] = (bytes[6] & 0x0f) | 0x50
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = bytes.toString("hex", 0, 16)
  const id = `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  ids.set(remoteId, id)
  return id
}

const text = (value) => (value === undefined || value === "" ? null : value)

/** Country codes by English name. */
const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" })
const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
const codes = new Map(letters.flatMap((first) => letters.map((second) => [names.of(first + second), first + second])))

const addressesOf = (p) => {
  const [street, ...more] = p.address ? p.address.split(/\r?\n/) : []
  const address = {
    street_1: street || null,
    street_2: more.length === 0 ? null : more.filter((line) => line !== "").join("\n"),
    city: text(p.city),
    state: text(p.state),
    postal_code: text(p.zip),
    country: p.country ? (codes.get(p.country) ?? p.country) : null,
    address_type: null
  }
  return address.street_1 || address.city || address.state || address.postal_code || address.country ? [address] : []
}

const emailsOf = (p) => {
  const emails = p.email ? [{ email_address: p.email, email_address_type: null }] : []
  if (p.hs_additional_emails) {
    for (const further of p.hs_additional_emails.split(";")) {
      if (further !== "") emails.push({ email_address: further, email_address_type: "SECONDARY" })
    }
  }
  return emails
}

const phonesOf = (p) => {
  const phones = []
  if (p.phone) phones.push({ phone_number: p.phone, phone_number_type: "WORK" })
  if (p.mobilephone) phones.push({ phone_number: p.mobilephone, phone_number_type: "MOBILE" })
  if (p.fax) phones.push({ phone_number: p.fax, phone_number_type: "FAX" })
  return phones
}

const contactOf = (native) => {
  const p = native.properties
  const company = native.associations?.companies?.results
  const shown = company?.find((one) => one.type === "contact_to_company") ?? company?.[0]
  return {
    id: idOf(native.id),
    remote_id: native.id,
    remote_was_deleted: native.archived,
    providerSlug: "hubspot",
    providerId: connection,
    created_at: native.createdAt,
    modified_at: native.updatedAt,
    remote_created_at: native.createdAt,
    remote_updated_at: native.updatedAt,
    first_name: text(p.firstname),
    last_name: text(p.lastname),
    account: shown === undefined ? null : shown.id,
    owner: text(p.hubspot_owner_id),
    title: text(p.jobtitle),
    addresses: addressesOf(p),
    email_addresses: emailsOf(p),
    phone_numbers: phonesOf(p),
    last_activity_at: text(p.notes_last_updated)
  }
}

const list = async (limit) => {
  const path = `/crm/v3/objects/contacts?limit=${limit}&${query}`
  const { body, statusCode } = await pool.request({ path, method: "GET", headers })
  const page = JSON.parse(await body.text())
  if (statusCode !== 200) throw new Error(`the provider answers ${statusCode}`)
  const records = page.results.map(contactOf)
  const cursor = page.paging?.next?.after ?? null
  return JSON.stringify({
    success: true,
    statusCode: 200,
    message: `${records.length} contact records`,
    data: { data: records, pagination: { cursor, hasMore: cursor !== null, limit } }
  })
}

const server = createServer((request, response) => {
  const limit = Number(new URLSearchParams(request.url?.split("?")[1]).get("limit") ?? 25)
  list(limit).then(
    (answer) => {
      const length = Buffer.byteLength(answer)
      response.writeHead(200, { "content-type": "application/json", "content-length": length }).end(answer)
    },
    () => response.writeHead(502).end()
  )
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => process.send?.({ port: server.address().port }))
process.on("disconnect", () => process.exit())
