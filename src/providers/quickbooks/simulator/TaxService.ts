import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { duplicateListName, invalidReference, missing, type Outcome, refuse, timestamp } from "./Faults.ts"
import { absent, compact, type Fields, number, one, partsAt, parts, read, required, text, textAt } from "./Fields.ts"

// The only way to make tax codes: https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/taxservice

const fields: Fields = {
  TaxCode: required(text(100)),
  TaxRateDetails: required(
    parts("TaxRateDetails", {
      TaxRateName: text(100),
      TaxRateId: text(),
      RateValue: number,
      TaxAgencyId: text(),
      TaxApplicableOn: one("Sales", "Purchase")
    })
  )
}

const keep = (account: Account, entity: string, doc: Doc): string => {
  const id = String(account.nextId())
  const now = timestamp(account.now)
  account.put(entity, id, { ...doc, Id: id, SyncToken: "0", MetaData: { CreateTime: now, LastUpdatedTime: now } })
  return id
}

const named = (account: Account, entity: string, name: string | undefined) =>
  account.all(entity).find((one) => textAt(one, "Name")?.toLowerCase() === name?.toLowerCase())

/** The rate a detail names, or the one it describes. */
const rateOf = (account: Account, detail: Doc): Outcome<Doc> => {
  const known = textAt(detail, "TaxRateId")
  if (known !== undefined) {
    return account.get("TaxRate", known) === undefined
      ? refuse(invalidReference("TaxRateDetails.TaxRateId"))
      : Either.right(detail)
  }
  for (const name of ["TaxRateName", "RateValue", "TaxAgencyId"]) {
    if (detail[name] === undefined) return refuse(missing(`TaxRateDetails.${name}`))
  }
  const same = named(account, "TaxRate", textAt(detail, "TaxRateName"))
  if (same !== undefined) return refuse(duplicateListName(String(same.Id)))
  return account.get("TaxAgency", String(detail.TaxAgencyId)) === undefined
    ? refuse(invalidReference("TaxRateDetails.TaxAgencyId"))
    : Either.right(detail)
}

/** Makes a tax code, and the rates it is made of. */
export const addTaxCode = (account: Account, body: Doc): Outcome<Doc> =>
  Either.gen(function* () {
    const { complaints, doc } = read(account, "TaxService", fields, body)
    const [first, ...rest] = [...complaints, ...absent(fields, doc)]
    if (first !== undefined) return yield* refuse(first, ...rest)
    const name = String(doc.TaxCode)
    const same = named(account, "TaxCode", name)
    if (same !== undefined) return yield* refuse(duplicateListName(String(same.Id)))
    const details = yield* Either.all(partsAt(doc, "TaxRateDetails").map((detail) => rateOf(account, detail)))
    if (details.length === 0) return yield* refuse(missing("TaxRateDetails"))
    const made = details.map((detail) => ({
      TaxApplicableOn: "Sales",
      ...detail,
      TaxRateId:
        textAt(detail, "TaxRateId") ??
        keep(account, "TaxRate", {
          Name: detail.TaxRateName,
          Description: detail.TaxRateName,
          Active: true,
          RateValue: detail.RateValue,
          AgencyRef: { value: detail.TaxAgencyId },
          DisplayType: "ReadOnly",
          SpecialTaxType: "NONE",
          EffectiveTaxRate: [{ RateValue: detail.RateValue, EffectiveDate: timestamp(account.now) }]
        })
    }))
    const listed = (side: string) => ({
      TaxRateDetail: made
        .filter(({ TaxApplicableOn }) => TaxApplicableOn === side)
        .map(({ TaxRateId }, TaxOrder) => ({
          TaxRateRef: { value: TaxRateId },
          TaxTypeApplicable: "TaxOnAmount",
          TaxOrder
        }))
    })
    const TaxCodeId = keep(account, "TaxCode", {
      Name: name,
      Description: name,
      Active: true,
      Hidden: false,
      Taxable: true,
      TaxGroup: true,
      SalesTaxRateList: listed("Sales"),
      PurchaseTaxRateList: listed("Purchase")
    })
    return { TaxCode: name, TaxCodeId, TaxRateDetails: made.map(compact) }
  })
