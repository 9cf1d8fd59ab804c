/**
 * A provider out of memory: HubSpot's list of contacts, always the same 100 records, ready as bytes so that it costs as
 * little as it can. An access token `delay-<milliseconds>` makes it wait before it answers.
 * https://developers.hubspot.com/docs/guides/api/crm/objects/contacts
 */
import { createServer } from "node:http"

const first = ["Amara", "Benedikt", "Chiara", "Dmitri", "Elif", "Florence", "Gustavo", "Hanne", "Ivo", "Jing"]
const last = ["Okafor", "Lindqvist", "Romano", "Petrov", "Demir", "Dubois", "Alvarez", "Nygård", "Kovač", "Zhao"]
const titles = ["Head of Finance", "Plant Manager", "Buyer", "Controller", "Operations Lead", "Founder"]
const cities = ["Lagos", "Göteborg", "Torino", "Tallinn", "Izmir", "Lyon", "Rosario", "Bergen", "Zagreb", "Suzhou"]

const of = (list, n) => list[n % list.length]

const contact = (n) => {
  const id = String(51_000_000_000 + n * 7919)
  const name = { firstname: of(first, n), lastname: of(last, Math.floor(n / 10)) }
  const email = `${name.firstname}.${name.lastname}.${n}@example.com`.toLowerCase()
  const created = new Date(Date.UTC(2024, 0, 1, 8) + n * 7_654_321_00).toISOString()
  const updated = new Date(Date.UTC(2026, 0, 1, 9) + n * 1_234_567).toISOString()
  return {
    id,
    properties: {
      address: n % 4 === 0 ? null : `${n + 1} Harbour Street\nUnit ${n % 9}`,
      city: of(cities, n),
      country: n % 3 === 0 ? "Norway" : "Italy",
      createdate: created,
      email,
      fax: null,
      firstname: name.firstname,
      hs_additional_emails: n % 5 === 0 ? `office.${n}@example.com` : null,
      hs_object_id: id,
      hubspot_owner_id: String(70_000 + (n % 6)),
      jobtitle: of(titles, n),
      lastmodifieddate: updated,
      lastname: name.lastname,
      mobilephone: n % 2 === 0 ? `+47 900 ${10_000 + n}` : null,
      notes_last_updated: n % 3 === 0 ? null : updated,
      phone: `+39 011 ${200_000 + n}`,
      state: null,
      zip: String(10_000 + n)
    },
    createdAt: created,
    updatedAt: updated,
    archived: false,
    url: `https://app.hubspot.com/contacts/1234567/record/0-1/${id}`,
    associations: {
      companies: { results: [{ id: String(91_000 + (n % 40)), type: "contact_to_company" }] }
    }
  }
}

const contacts = Array.from({ length: 100 }, (_, n) => contact(n))

const page = (limit) => {
  const after = String(limit)
  return Buffer.from(JSON.stringify({ results: contacts.slice(0, limit), paging: { next: { after, link: "" } } }))
}
const pages = Array.from({ length: 101 }, (_, limit) => page(limit))

const server = createServer((request, response) => {
  const limit = Number(/[?&]limit=(\d+)/.exec(request.url ?? "")?.[1] ?? 10)
  const body = request.url?.startsWith("/crm/v3/objects/contacts?") === true ? pages[limit] : undefined
  if (body === undefined) {
    response.writeHead(404, { "content-type": "application/json" }).end('{"message":"not in this benchmark"}')
    return
  }
  const answer = () => {
    response.writeHead(200, { "content-type": "application/json;charset=utf-8", "content-length": body.length })
    response.end(body)
  }
  const delay = Number(/delay-(\d+)/.exec(request.headers.authorization ?? "")?.[1] ?? 0)
  if (delay === 0) answer()
  else setTimeout(answer, delay)
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => process.send?.({ port: server.address().port }))
process.on("disconnect", () => process.exit())
