/** A condition between fields of a full body that the fields alone cannot state; paths may go into lists (`line_items[].item`). */
export interface Rule {
  /**
   * `oneOf`: at least one field is there. `exactlyOneTrue`: of these booleans. `required`: all are there.
   * `balanced`: the numbers sum to zero. `subset`: the value is one of `values`.
   */
  readonly rule: (typeof rules)[number]
  readonly fields: ReadonlyArray<string>
  readonly values?: ReadonlyArray<string>
  /** Holds only where these fields have these values. */
  readonly when?: { readonly [field: string]: string }
}

export const rules = ["oneOf", "exactlyOneTrue", "required", "balanced", "subset"] as const

const said = ({ fields, rule, values = [] }: Rule): string => {
  const names = fields.join(", ")
  switch (rule) {
    case "oneOf":
      return `one of ${names}`
    case "exactlyOneTrue":
      return `exactly one of ${names} true`
    case "required":
      return names
    case "balanced":
      return `${names} that sum to zero`
    case "subset":
      return `${names} one of ${values.join(", ")}, where it is given`
  }
}

/** A rule as what a body needs: `one of contact, account`, `account when type is ACCOUNTS_PAYABLE`. */
export const inWords = (rule: Rule): string => {
  const when = Object.entries(rule.when ?? {}).map(([name, value]) => `${name} is ${value}`)
  return when.length === 0 ? said(rule) : `${said(rule)} when ${when.join(" and ")}`
}
