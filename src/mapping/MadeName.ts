import type { Entries } from "./Entries.ts"
import { type ComputedEntry, getPath } from "./Mapping.ts"

/** The name of a person that the provider makes of its parts. */
export const madeName = (
  of: Pick<Entries<"name">, "computed">,
  native: { readonly name: string; readonly first_name: string; readonly last_name: string }
): ComputedEntry<"name"> =>
  of.computed({
    canonical: "name",
    native: [native.name],
    decode: ({ record }) => record[native.name],
    comesTo: (body, current) => {
      const parts = (["first_name", "last_name"] as const).map((part) =>
        body[part] === undefined ? getPath(current?.record, native[part]) : body[part]
      )
      return parts.filter((part) => typeof part === "string" && part !== "").join(" ")
    }
  })
