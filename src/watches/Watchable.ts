import { resourcesOf } from "../canonical/Catalogue.ts"
import { categories, isReport, type Resource } from "../canonical/Resource.ts"

/** The name of a resource among those of all categories: `crm/contact`. */
export const nameOf = ({ category, name }: Resource) => `${category}/${name}`

/** The resources that can be watched: reports are made again each time. */
export const watchable: ReadonlyArray<string> = categories.flatMap((category) =>
  resourcesOf(category)
    .filter((resource) => !isReport(resource))
    .map(nameOf)
)
