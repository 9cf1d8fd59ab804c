import {
  byCursor,
  type Caller,
  type CommonEntries,
  dateTime,
  getPath,
  type ListRequest,
  type Mapping,
  type Query,
  type Rest,
  rest,
  text
} from "tributary/provider"

/** How Acme keeps all of its records. https://developer.acme.example/records */
const places = (mapping: Mapping, created: Query): Rest => ({
  mapping,
  path: (nativeType) => `/v1/${nativeType}`,
  envelope: {
    provider: "acme",
    many: ({ body }) => getPath(body, "data"),
    one: ({ body }) => getPath(body, "data")
  },
  paging: byCursor({ most: 100, size: "limit", after: "after", next: "next" }),
  id: /^[a-z]+_\d+$/,
  fields: () => created
})

/** Every operation on the records of a mapping; lists may be asked for by when records were created. */
export const records = (call: Caller, mapping: Mapping) => ({
  ...rest(call, places(mapping, {})),
  list: (request: ListRequest) =>
    rest(call, places(mapping, { created_after: request.createdAfter, created_before: request.createdBefore })).list(
      request
    )
})

/** What all of its records say. */
export const stamps = (of: CommonEntries) => [
  of.readField("remote_id", "id", text),
  of.readField("remote_created_at", "created_at", dateTime),
  of.readField("remote_updated_at", "updated_at", dateTime),
  of.constant("remote_was_deleted", false)
]
