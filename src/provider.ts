// The parts of a provider's adapter, without the rest of the application. `providers/README.md` of the source tells how.
export { provider, Providers } from "./providers/Providers.ts"
export type { ConnectionRef, Environment } from "./providers/ConnectionRef.ts"
export type { CredentialValues } from "./providers/Credentials.ts"
export { keeping, KeptValues, noting } from "./providers/KeptValues.ts"
export type {
  BodyRequest,
  Consistency,
  CreateRequest,
  Download,
  ListRequest,
  Lookup,
  NativeField,
  NativeFields,
  NativeRecord,
  Operation,
  Page,
  ProviderAdapter,
  ResourceAdapter,
  Sought,
  Target,
  UpdateRequest,
  Upload,
  UploadRequest,
  Written
} from "./providers/ProviderAdapter.ts"
export type { AccountMarks, NativeApi } from "./providers/NativeApi.ts"
export type { Following } from "./providers/Following.ts"
export { InvalidPart } from "./platform/Registry.ts"

// Filters of lists
export { type Clause, type Clauses, clausesFor, dayFrom, exact, foundBy, wide } from "./providers/Filtering.ts"

// Authorisation
export {
  type Account as AuthorizedAccount,
  type ApiKey,
  type Apply as ApplyCredentials,
  type Authorization,
  basic,
  bearer,
  type ConnectionString,
  type Field as EnteredField,
  header,
  type Identify,
  identify,
  type OAuth2,
  type Place,
  scheme,
  type ValueForm
} from "./providers/base/Authorization.ts"
export { escaped, type Pairs, signedText, signingKey } from "./providers/base/OAuth1.ts"

// Calls
export { type Answer, type Call, type Caller, type Endpoint, Upstream } from "./providers/base/Upstream.ts"
export { type Bulk, type Bulks, joining, type Share as ShareOfBulk } from "./providers/base/Bulk.ts"
export { type Limit, numberIn, type ReadLimits, remainingIn } from "./providers/base/Limits.ts"
export { requestKey } from "./providers/base/RequestKey.ts"

// Records with one address each
export { type Envelope, reader, type Rest, rest, type RestAdapter, type Verb } from "./providers/base/Rest.ts"

// Errors
export { type FailedAnswer, pauseFor, type ReadError, reasonOfStatus, retryAfter } from "./providers/base/Errors.ts"
export {
  Busy,
  Clash,
  Down,
  Invalid,
  LimitReached,
  Locked,
  ListBroken,
  Malformed,
  Missing,
  NotPermitted,
  ProviderError,
  type Reason,
  Stale,
  TimedOut,
  Unauthenticated,
  Unsupported
} from "./providers/ProviderError.ts"

// Pushes
export {
  type ApplicationPush,
  bodyOf as pushBody,
  type ConnectionPush,
  type Delivery,
  hmac,
  isSame,
  type Push,
  signed as signedPush,
  type Subscribed,
  type Subscription,
  type Told
} from "./providers/Push.ts"

// Requirements of resources, and the register of doubt
export type { Requirement, ResourceRequirement } from "./providers/Requirement.ts"
export type { Doubt } from "./providers/Doubt.ts"

// Lists
export {
  anchored,
  completed,
  cursor,
  everything as allPages,
  type Fetch,
  inOrder,
  keyset,
  offset,
  sifted,
  since,
  whole,
  wholeById
} from "./providers/base/Paginator.ts"
export {
  type Ask,
  atOnce,
  byCursor,
  byId,
  byLink,
  byOffset,
  byPage,
  byTime,
  type Listed,
  type Paging,
  type Query
} from "./providers/base/Paging.ts"
export { type EmbeddedRecords, embeddedReader, embeddedResource, within } from "./providers/base/EmbeddedRecords.ts"
export { type Calendar, dayReport, type Period, periodReport } from "./providers/base/Report.ts"
export { afterDoing, beneath, differences, type Made, orTakeBack } from "./providers/base/CompoundWrite.ts"

// Mapping
export {
  type Bundle,
  type ComputedEntry,
  elsewhere,
  type Encoding,
  type Entry,
  getPath,
  isNative,
  type LineForm,
  type Mapping,
  merge,
  type Native,
  natives,
  onlyRead,
  setPath,
  type Variant
} from "./mapping/Mapping.ts"
export {
  type CommonEntries,
  type CompleteVariant,
  computed,
  type Entries,
  type EntriesOf,
  type Lines,
  type MakeVariants,
  type MappedBy,
  type ResourceEntries,
  type VariantEntries,
  variantsOf
} from "./mapping/Entries.ts"
export { plainMapping } from "./mapping/PlainMapping.ts"
export { spreadLines, streetLines } from "./mapping/StreetLines.ts"
export { type CompiledMapping, type CompiledVariant } from "./mapping/Compile.ts"
export { type Encoded, type Mode } from "./mapping/Encode.ts"
export { type AccountKind, accountKind, accountKinds } from "./mapping/AccountKinds.ts"
export { type ReportRow, reportRows, totalOf, turned } from "./mapping/ReportRows.ts"

// Transforms
export { country } from "./mapping/Country.ts"
export {
  boolean,
  booleanString,
  date,
  dateTime,
  day,
  decimal,
  type EncodeContext,
  enumeration,
  type Identity,
  integer,
  integerString,
  midnight,
  type NativeType,
  negated,
  number,
  numericString,
  percent,
  raw,
  type RecordContext,
  reference,
  remoteIdOf,
  text,
  type Transform
} from "./mapping/Transform.ts"

// The canonical resources
export { accounting, crm, find as findResource, resourcesOf } from "./canonical/Catalogue.ts"
export type { Category, Field, Fields, Resource } from "./canonical/Resource.ts"
export type { Rule } from "./canonical/Rule.ts"
