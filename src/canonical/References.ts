import { find } from "./Catalogue.ts"
import { type Category, type Field, type Fields, isShape, type Resource } from "./Resource.ts"

/** The resources that a field leads to, itself or with each of its entries; what is inside of a record, such as a stage, is none. */
export const targetsOf = (category: Category, { item, kind, targets = [] }: Field): ReadonlyArray<Resource> => {
  if (kind === "list") return item === undefined || isShape(item) ? [] : targetsOf(category, item)
  return targets.flatMap((target) => find(category, target) ?? [])
}

/** Paths of the references of an object, and of those in its lists. */
export const pathsIn = (category: Category, fields: Fields): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([name, field]) =>
    isShape(field.item)
      ? pathsIn(category, field.item.fields).map((path) => `${name}.${path}`)
      : targetsOf(category, field).length > 0
        ? [name]
        : []
  )

/** Every path that a list of a resource can be expanded by, one record deep. */
export const expandable = ({ category, fields }: Resource) => pathsIn(category, fields)
