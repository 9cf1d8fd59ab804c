import { Either } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { type Fault, fault } from "./Faults.ts"
import { settingOf } from "./Settings.ts"

// Duplicate rules, with the matching rules that a new organisation has, much simplified: the same name and address.
// https://help.salesforce.com/s/articleView?id=sales.duplicate_rules_standard_rules.htm

const rules: { readonly [object: string]: ReadonlyArray<string> } = {
  Account: ["Name"],
  Contact: ["LastName", "Email"],
  Lead: ["LastName", "Email"]
}

const keyOf = (fields: ReadonlyArray<string>, doc: Doc) => {
  const values = fields.map((name) => doc[name])
  return values.every((value) => typeof value === "string") ? values.join(" ").toLowerCase() : undefined
}

/** Whether a request says that duplicates are saved where a rule permits it. */
export const allowsSave = (headers: { readonly [name: string]: string | undefined }): boolean =>
  /(?:^|;)\s*allowSave\s*=\s*true\s*(?:;|$)/i.test(headers["sforce-duplicate-rule-header"] ?? "")

/**
 * https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/headers_duplicaterules.htm
 */
const detected = (object: string, allowSave: boolean, ids: ReadonlyArray<string>): Fault => ({
  ...fault("DUPLICATES_DETECTED", "Use one of these records?"),
  duplicateResult: {
    allowSave,
    duplicateRule: `Standard_${object}_Duplicate_Rule`,
    duplicateRuleEntityType: object,
    errorMessage: "Use one of these records?",
    matchResults: [
      {
        entityType: object,
        errors: [],
        matchEngine: object === "Account" ? "FuzzyMatchEngine" : "ExactMatchEngine",
        matchRecords: ids.map((Id) => ({
          additionalInformation: [],
          fieldDiffs: [],
          matchConfidence: 100,
          record: { attributes: { type: object, url: `/services/data/v66.0/sobjects/${object}/${Id}` }, Id }
        })),
        rule: `Standard_${object}_Match_Rule_v1_0`,
        size: ids.length,
        success: true
      }
    ]
  }
})

/** Refuses a record that others match. */
export const withoutDuplicates = (
  org: Org,
  object: string,
  doc: Doc,
  isAllowed: boolean
): Either.Either<Doc, Fault> => {
  const setting = settingOf(org, "duplicate rules")
  const fields = rules[object]
  const key = setting === undefined || fields === undefined ? undefined : keyOf(fields, doc)
  if (key === undefined || fields === undefined) return Either.right(doc)
  const isSavable = setting?.allowSave === true
  const others = org
    .all(object)
    .filter((other) => other.IsDeleted !== true && other.Id !== doc.Id && keyOf(fields, other) === key)
  return others.length === 0 || (isSavable && isAllowed)
    ? Either.right(doc)
    : Either.left(
        detected(
          object,
          isSavable,
          others.map(({ Id }) => String(Id))
        )
      )
}
