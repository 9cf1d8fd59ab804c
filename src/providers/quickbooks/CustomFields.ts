import { Effect } from "effect"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeField, ProviderAdapter } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"

/**
 * Of a company's fields, its preferences tell the custom ones: three texts on sales forms and three on purchase orders.
 * They are entries of a list, known by their number.
 * https://developer.intuit.com/app/developer/qbo/docs/workflows/create-custom-fields
 */
const places: { readonly [nativeType: string]: string } = {
  Invoice: "SalesFormsPrefs.CustomField",
  CreditMemo: "SalesFormsPrefs.CustomField",
  PurchaseOrder: "VendorAndPurchasesPrefs.POCustomField"
}

const list = "CustomField"

const fieldOf = (definition: Native): ReadonlyArray<NativeField> => {
  const [, number] = /CustomName(\d+)$/.exec(String(definition.Name)) ?? []
  return number === undefined
    ? []
    : [
        {
          name: `${list}[DefinitionId=${number}].StringValue`,
          label: String(definition.StringValue),
          type: "text",
          readOnly: false
        }
      ]
}

export const customFields =
  (
    preferencesOf: (connection: ConnectionRef) => Effect.Effect<Native, ProviderError>
  ): NonNullable<ProviderAdapter["fieldsOf"]> =>
  (connection, nativeType) =>
    Effect.map(preferencesOf(connection), (preferences) => {
      const place = places[nativeType]
      const groups = place === undefined ? [] : natives(getPath(preferences, place))
      return {
        fields: groups.flatMap((group) => natives(group.CustomField)).flatMap(fieldOf),
        covers: (path: string) => path.startsWith(list)
      }
    })
