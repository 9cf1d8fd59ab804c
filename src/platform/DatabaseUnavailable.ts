import { Schema } from "effect"

/**
 * The service's own database cannot be used: unreachable, refused, owned by another process, or not migratable.
 * The message is one line for the operator; it names the setting to change and never holds a password.
 */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  message: Schema.String
}) {}
