import { Either } from "effect"
import type { Doc } from "../../simulation/Account.ts"
import { partAt } from "../../simulation/Docs.ts"
import { type Field, type Show, shown } from "../../simulation/table/Kind.ts"
import { flag, listed, oneOf, type Parameters, parameter } from "../../simulation/table/Query.ts"

const labelled = ({ value: { options } }: Field, value: unknown): unknown => {
  const one = (id: unknown) => ({ id, label: options?.find((option) => option.id === id)?.label ?? null })
  return Array.isArray(value) ? value.map(one) : value === null ? null : one(value)
}

/**
 * How records of API v2 are shown: with the optional fields of `include_fields` and some of their custom fields, with
 * options as `{id, label}` and `labels` beside `label_ids`.
 */
export const view = (
  fields: ReadonlyArray<Field>,
  customFields: ReadonlyArray<Field> | undefined
): Parameters<Show> => {
  const known = fields.flatMap(({ code, isOptional }) => (isOptional === true ? [code] : []))
  const optional = parameter("include_fields", listed(known.length, oneOf(known)))
  const customs = parameter("custom_fields", listed(15, Either.right<string>))
  const optionLabels = parameter("include_option_labels", flag)
  const labels = parameter("include_labels", flag)
  const labelIds = fields.find(({ code }) => code === "label_ids")
  return {
    names: [
      ...optional.names,
      ...(customFields === undefined ? [] : [customs, optionLabels, labels].flatMap(({ names }) => names))
    ],
    read: (query, account) =>
      Either.gen(function* () {
        const included = (yield* optional.read(query, account)) ?? []
        const chosen = yield* customs.read(query, account)
        const hasOptionLabels = (yield* optionLabels.read(query, account)) === true
        const hasLabels = (yield* labels.read(query, account)) === true
        const valueIn = (record: Doc, field: Field) => {
          const value = partAt(record, "custom_fields")[field.code] ?? null
          return hasOptionLabels && field.value.options !== undefined ? labelled(field, value) : value
        }
        return (account, record) => ({
          ...shown(account, fields, record, ({ code, isOptional }) => isOptional !== true || included.includes(code)),
          ...(hasLabels && labelIds !== undefined ? { labels: labelled(labelIds, record.label_ids) } : {}),
          ...(customFields === undefined
            ? {}
            : {
                custom_fields: Object.fromEntries(
                  customFields
                    .filter(({ code }) => chosen?.includes(code) ?? true)
                    .map((field) => [field.code, valueIn(record, field)])
                )
              })
        })
      })
  }
}
