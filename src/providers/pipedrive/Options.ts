import { type Native, natives } from "../../mapping/Mapping.ts"

/** Options of a field, in the account's list of fields. https://developers.pipedrive.com/docs/api/v1/OrganizationFields */
export const optionsOf = (fields: unknown, code: string): ReadonlyArray<Native> =>
  natives(natives(fields).find(({ field_code }) => field_code === code)?.options)

/** Ids of options are numbers in records, and may be text in the list. */
export const optionOf = (options: ReadonlyArray<Native>, value: unknown): Native | undefined =>
  options.find(({ id }) => String(id) === String(value))
