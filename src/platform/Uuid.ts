import { Schema } from "effect"

/** Whether a text can be an id of ours: the database would refuse to compare others. */
export const isUuid: (text: string) => boolean = Schema.is(Schema.UUID)
