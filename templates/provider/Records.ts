import {
  byCursor,
  type Caller,
  type CommonEntries,
  dateTime,
  exact,
  getPath,
  type Mapping,
  rest,
  text
} from "tributary/provider"

/** Every operation on the records of a mapping, which Acme keeps all alike. https://developer.acme.example/records */
export const records = (call: Caller, mapping: Mapping) =>
  rest(call, {
    mapping,
    path: (nativeType) => `/v1/${nativeType}`,
    envelope: {
      provider: "acme",
      many: ({ body }) => getPath(body, "data"),
      one: ({ body }) => getPath(body, "data")
    },
    paging: byCursor({ most: 100, size: "limit", after: "after", next: "next" }),
    id: /^[a-z]+_\d+$/,
    filters: {
      created_after: exact(({ text }) => ({ created_after: text })),
      created_before: exact(({ text }) => ({ created_before: text }))
    }
  })

/** What all of its records say. */
export const stamps = (of: CommonEntries) => [
  of.readField("remote_id", "id", text),
  of.readField("remote_created_at", "created_at", dateTime),
  of.readField("remote_updated_at", "updated_at", dateTime),
  of.constant("remote_was_deleted", false)
]
