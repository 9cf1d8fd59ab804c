import {
  byCursor,
  type Caller,
  getPath,
  type ListRequest,
  type Mapping,
  type Query,
  type Rest,
  rest
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
  id: /^\d+$/,
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
