import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, Multipart, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { accounting, crm } from "../canonical/Catalogue.ts"
import { expandable } from "../canonical/References.ts"
import { readableOf, type Resource } from "../canonical/Resource.ts"
import { Warning } from "../mapping/Warning.ts"
import { type DeclaredGroup, makeApi } from "../platform/ApiErrors.ts"
import { Envelope, pageQuery, Pagination } from "../platform/Envelope.ts"
import { ErrorCode } from "../platform/ErrorCodes.ts"
import { wires } from "../platform/Errors.ts"
import { EndUserHeader } from "../platform/EndUserHeader.ts"
import { Authorization } from "../tenancy/Api.ts"
import { basePath } from "../platform/Paths.ts"
import { providerSlug } from "../platform/ProviderSlug.ts"
import { didYouMean } from "../platform/Spelling.ts"
import { needs } from "../tenancy/Scopes.ts"
import { batchBodyOf, batchEntryOf, Removed } from "./BatchApi.ts"
import { filterParameters } from "./FilterParameters.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const text = (description: string) => Schema.String.annotations({ description })

const provider = providerSlug("Slug of the provider, such as hubspot")

const flag = Schema.Literal("true", "false").annotations({
  message: () => ({ message: "must be true or false", override: true }),
  description: "Adds `remote_data`, the native object as it was read, to every record"
})

const paging = {
  provider: Schema.optional(providerSlug("Only this provider; absent: every connected one")),
  ...pageQuery,
  include_remote_data: Schema.optional(flag)
}

const namesIn = (text: string) => [...new Set(text.split(",").map((name) => name.trim()))]

/** `fields=first_name,email_addresses`: names of fields; the first unknown one is reported. */
const fieldsOf = (resource: Resource) => {
  const known: ReadonlyArray<string> = readableOf(resource)
  const unknownIn = (text: string) => namesIn(text).find((name) => !known.includes(name))
  const listed = Schema.String.pipe(
    Schema.filter((text) => unknownIn(text) === undefined, {
      message: ({ actual }) => {
        const name = (unknownIn(String(actual)) ?? "").slice(0, 64)
        const near = name === "" ? "" : didYouMean(name, known)
        return `${resource.name} has no field "${name}"${near === "" ? "; " : `${near} `}it has ${known.join(", ")}`
      },
      jsonSchema: {
        type: "string",
        examples: ["remote_id,custom_fields"],
        description:
          "Names of fields, separated by commas: answers have these and the common ones (ids and stamps), and the provider is asked for no more; absent: every field. `custom_fields` is one"
      }
    })
  )
  const names = Schema.Array(Schema.String)
  return Schema.optional(
    Schema.transform(listed, names, { strict: true, decode: namesIn, encode: (all) => all.join(",") })
  )
}

const expandOf = (resource: Resource) => {
  const paths = expandable(resource)
  return Schema.optional(
    text(
      paths.length === 0
        ? `Nothing here: ${resource.name} refers to no other records`
        : `References, separated by commas, whose records are put beside them under \`expanded\`, null where one is missing: ${paths.join(", ")}. References of those records follow after a dot`
    )
  )
}

// Parameters of a resource's routes; `Http.ts` decodes with the same Schemas that document them.
/** The query of a list, with the filters of its resource. */
type ListQueryOf<R extends Resource> = {
  readonly provider?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
  readonly fields?: ReadonlyArray<string> | undefined
  readonly expand?: string | undefined
  readonly include_remote_data?: "true" | "false" | undefined
} & { readonly [K in keyof R["filters"]]?: string | undefined }

type Text<Q> = { readonly [K in keyof Q]: string | undefined }

export const listQueryOf = <R extends Resource>(resource: R) =>
  Schema.make<ListQueryOf<R>, Text<ListQueryOf<R>>>(
    Schema.Struct({
      ...paging,
      ...filterParameters(resource),
      fields: fieldsOf(resource),
      expand: expandOf(resource)
    }).annotations(strict).ast
  )

export const getQueryOf = (resource: Resource) =>
  Schema.Struct({
    provider,
    fields: fieldsOf(resource),
    expand: expandOf(resource),
    include_remote_data: Schema.optional(flag)
  }).annotations(strict)
export const WriteQuery = Schema.Struct({ provider }).annotations(strict)
/** The query of a create and of an update. */
export const SaveQuery = Schema.Struct({
  provider,
  on_duplicate: Schema.optional(
    Schema.Literal("allow").annotations({
      message: () => ({ message: "must be allow, or left out", override: true }),
      description:
        "`allow`: a record that duplicates another is saved where the provider's duplicate rule permits it; otherwise, and without it, 409 names the others in `duplicate_of`. 422 where the provider cannot save a duplicate on request: `GET /providers` says in `duplicates` which resources can"
    })
  )
}).annotations(strict)
export const Path = Schema.Struct({
  id: text("`remote_id` of the record; where the resource spans several native types, and in accounting, also its `id`")
})

const endUser = {
  "x-end-user-id": EndUserHeader.annotations({ description: "The `endUserId` of the connect token" }),
  "x-connection-id": Schema.optional(
    Schema.UUID.annotations({
      message: () => ({ message: "must be the UUID of a connection", override: true }),
      description: "Which connection, where several are meant"
    })
  )
}
export const Headers = Schema.Struct(endUser)

/** The handling among the preferences of a `Prefer` header (RFC 7240), as written. */
const handlingIn = (header: string) =>
  header
    .toLowerCase()
    .split(",")
    .flatMap((preference) => /^\s*handling\s*=\s*"?([^\s";]*)/.exec(preference)?.slice(1) ?? [])[0]

const Handling = Schema.Literal("strict", "lenient")
const isHandling = Schema.is(Handling)

const Prefer = Schema.transform(
  Schema.String.pipe(
    Schema.filter((header) => isHandling(handlingIn(header) ?? "lenient"), {
      message: () => "handling must be strict or lenient",
      jsonSchema: {
        type: "string",
        examples: ["handling=strict"],
        description:
          "`handling=strict`: a value that cannot be held as it was sent is 422; `handling=lenient`, or none: the answer names it in `warnings` (RFC 7240)"
      }
    })
  ),
  Schema.UndefinedOr(Handling),
  {
    strict: true,
    decode: (header) => {
      const handling = handlingIn(header)
      return isHandling(handling) ? handling : undefined
    },
    encode: (handling) => (handling === undefined ? "" : `handling=${handling}`)
  }
)

export const UploadHeaders = Schema.Struct({ ...endUser, prefer: Schema.optional(Prefer) })
export const WriteHeaders = Schema.Struct({
  ...UploadHeaders.fields,
  "idempotency-key": Schema.optional(
    Schema.String.pipe(Schema.minLength(1), Schema.maxLength(255)).annotations({
      message: () => ({ message: "must be 1 to 255 characters", override: true }),
      description: "Repeating a request with the same key answers the first one's result for 24 hours"
    })
  )
})

const uuidOf = (description: string) =>
  Schema.String.pipe(
    Schema.pattern(/^(urn:uuid:)?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, {
      message: () => "must be the UUID of a record, with or without urn:uuid: in front"
    })
  ).annotations({ description })

/** The fields of an upload's form besides the file. */
const uploadFields = {
  related_object_type: Schema.optional(text("Resource of the record that the file is to hang on, such as invoice")),
  related_object_id: Schema.optional(uuidOf("UUID of that record")),
  company: Schema.optional(uuidOf("UUID of the legal entity it belongs to")),
  integration_params: Schema.optional(
    Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({
      message: () => ({ message: "must be a JSON object", override: true }),
      jsonSchema: {
        type: "string",
        contentMediaType: "application/json",
        description: "JSON object of native fields, merged over what the mapping built"
      }
    })
  )
}

const fileName = Schema.String.pipe(
  Schema.filter((name) => name.length <= 255 && !/[\p{Cc}/\\]/u.test(name) && name.trim() !== "", {
    message: () => "must be a name of 1 to 255 characters, without folders and control characters",
    jsonSchema: {
      type: "string",
      minLength: 1,
      maxLength: 255,
      description: "With its extension, which says what the file is; absent: the name that the file part has"
    }
  })
)

/** The form's fields and its file's name. */
export const UploadFields = Schema.Struct({ file_name: fileName, ...uploadFields }).annotations(strict)

const UploadForm = HttpApiSchema.Multipart(
  Schema.Struct({
    file_name: Schema.optional(fileName),
    ...uploadFields,
    file: Multipart.FileSchema.annotations({
      description: "The file, at most 25 MiB, as the last part of the form",
      jsonSchema: { type: "string", format: "binary" }
    })
  })
)

/** A connection whose part of a list could not be read, or was read without kinds of records that its account lacks. */
export const ListError = Schema.Struct({
  provider: providerSlug("Slug of the provider"),
  connectionId: text("UUID of the connection"),
  code: ErrorCode,
  message: text("What is wrong, in words"),
  retryable: Schema.Boolean.annotations({ description: "True: following the cursor tries again from the same place" })
}).annotations({
  identifier: "ListError",
  description: "A connection whose part of a list could not be read, or only without what its account lacks"
})

const Page = <S extends Schema.Schema.AnyNoContext>(record: S) =>
  Schema.Struct({
    data: Schema.Array(record).annotations({ description: "The records of this page" }),
    pagination: Pagination,
    errors: Schema.optional(
      Schema.Array(ListError).annotations({
        description: "Connections that could not be read, or that lack some kinds of these records; absent: none"
      })
    )
  })

const group = <const Name extends string>(resource: Resource, name: Name) =>
  HttpApiGroup.make(name)
    .middleware(Authorization)
    .addError(wires.BadRequest)
    .addError(wires.Forbidden)
    .addError(wires.NotFound)
    .addError(wires.MethodNotAllowed)
    .addError(wires.Conflict)
    .addError(wires.InternalError)
    .addError(wires.BadGateway)
    .addError(wires.Unavailable)
    .addError(wires.GatewayTimeout)
    .annotate(OpenApi.Title, `${resource.category}: ${resource.name}`)
    .annotate(OpenApi.Description, resource.description)

const summary = (verb: string, resource: Resource) => `${verb} ${resource.name.replaceAll("_", " ")}`

const partOf = <R extends Resource>(resource: R): R["part"] => resource.part
const recordOf = <R extends Resource>(resource: R): R["record"] => resource.record
const createBodyOf = <R extends Resource>(resource: R): R["createBody"] => resource.createBody
const patchBodyOf = <R extends Resource>(resource: R): R["patchBody"] => resource.patchBody

/** The answer to a write: the resulting record, and the parts of the body that it does not hold as sent. */
const Written = <const Status extends 200 | 201, S extends Schema.Schema.Any>(status: Status, record: S) =>
  Schema.Struct({
    ...Envelope(status, record).fields,
    warnings: Schema.optional(
      Schema.Array(Warning).annotations({
        description:
          "What the record holds otherwise than the body says, and the fields that could not be read after the write; absent: nothing"
      })
    )
  })

/** Read-only: list and get. */
const readable = <R extends Resource, const Name extends string>(resource: R, name: Name) =>
  group(resource, name)
    .add(
      HttpApiEndpoint.get("list", `/${resource.category}/${resource.name}`)
        .setUrlParams(listQueryOf(resource))
        .setHeaders(Headers)
        .addSuccess(Envelope(200, Page(partOf(resource))))
        .annotate(OpenApi.Summary, summary("List", resource))
        .annotate(
          OpenApi.Description,
          "Records of every provider that the end user has connected, or of one, page by page. A connection that cannot be read is named in `errors`."
        )
        .annotateContext(needs("records:read"))
        .annotate(OpenApi.Identifier, `${name}_list`)
    )
    .add(
      HttpApiEndpoint.get("get", `/${resource.category}/${resource.name}/:id`)
        .setPath(Path)
        .setUrlParams(getQueryOf(resource))
        .setHeaders(Headers)
        .addSuccess(Envelope(200, partOf(resource)))
        .annotate(OpenApi.Summary, summary("Get one", resource))
        .annotate(OpenApi.Description, "As the provider holds it now.")
        .annotateContext(needs("records:read"))
        .annotate(OpenApi.Identifier, `${name}_get`)
    )

/** Update-only: no create, no delete. */
const updatable = <R extends Resource, const Name extends string>(resource: R, name: Name) =>
  readable(resource, name)
    .addError(wires.PayloadTooLarge)
    .addError(wires.UnsupportedMediaType)
    .addError(wires.Unprocessable)
    .add(
      HttpApiEndpoint.put("replace", `/${resource.category}/${resource.name}/:id`)
        .setPath(Path)
        .setUrlParams(SaveQuery)
        .setHeaders(WriteHeaders)
        .setPayload(createBodyOf(resource))
        .addSuccess(Written(200, recordOf(resource)))
        .annotate(OpenApi.Summary, summary("Replace", resource))
        .annotate(OpenApi.Description, "Fields that are not supplied are cleared.")
        .annotateContext(needs("records:write"))
        .annotate(OpenApi.Identifier, `${name}_replace`)
    )
    .add(
      HttpApiEndpoint.patch("patch", `/${resource.category}/${resource.name}/:id`)
        .setPath(Path)
        .setUrlParams(SaveQuery)
        .setHeaders(WriteHeaders)
        .setPayload(patchBodyOf(resource))
        .addSuccess(Written(200, recordOf(resource)))
        .annotate(OpenApi.Summary, summary("Update fields of", resource))
        .annotate(OpenApi.Description, "Only the fields present are written; null clears one.")
        .annotateContext(needs("records:write"))
        .annotate(OpenApi.Identifier, `${name}_patch`)
    )

/** Updatable, and deletable. */
const removable = <R extends Resource, const Name extends string>(resource: R, name: Name) =>
  updatable(resource, name).add(
    HttpApiEndpoint.del("remove", `/${resource.category}/${resource.name}/:id`)
      .setPath(Path)
      .setUrlParams(WriteQuery)
      .setHeaders(Headers)
      .addSuccess(Envelope(200, Removed))
      .annotate(OpenApi.Summary, summary("Delete", resource))
      .annotate(OpenApi.Description, "At the provider, in the way that it deletes: many archive, or void.")
      .annotateContext(needs("records:write"))
      .annotate(OpenApi.Identifier, `${name}_remove`)
  )

/** Writable: every verb, and several records at once. */
const writable = <R extends Resource, const Name extends string>(resource: R, name: Name) =>
  removable(resource, name)
    .add(
      HttpApiEndpoint.post("create", `/${resource.category}/${resource.name}`)
        .setUrlParams(SaveQuery)
        .setHeaders(WriteHeaders)
        .setPayload(createBodyOf(resource))
        .addSuccess(Written(201, recordOf(resource)), { status: 201 })
        .annotate(OpenApi.Summary, summary("Create", resource))
        .annotate(OpenApi.Description, "At the provider; the answer is the record as it then is.")
        .annotateContext(needs("records:write"))
        .annotate(OpenApi.Identifier, `${name}_create`)
    )
    .add(
      HttpApiEndpoint.post("batch", `/${resource.category}/${resource.name}/batch`)
        .setUrlParams(SaveQuery)
        .setHeaders(WriteHeaders)
        .setPayload(batchBodyOf(resource))
        .addSuccess(Envelope(200, Schema.Array(batchEntryOf(resource))))
        .annotate(OpenApi.Summary, summary("Create, update or delete several", resource))
        .annotate(
          OpenApi.Description,
          "Up to 100 records, each as its own write, in as few calls to the provider as it allows. The answer has an entry for each, in order: what is wrong with one is told there and costs no other its success. `Idempotency-Key` covers the batch and each record: sent again, it goes on with those that are not done."
        )
        .annotateContext(needs("records:write"))
        .annotate(OpenApi.Identifier, `${name}_batch`)
    )

/** Attachments: created by uploading their file, which can be downloaded. */
const attachments = removable(accounting.attachment, "accounting_attachment")
  .add(
    HttpApiEndpoint.post("create", "/accounting/attachment")
      .setUrlParams(WriteQuery)
      .setHeaders(UploadHeaders)
      .setPayload(UploadForm)
      .addSuccess(Written(201, recordOf(accounting.attachment)), { status: 201 })
      .annotate(OpenApi.Summary, "Upload attachment")
      .annotate(
        OpenApi.Description,
        "The file is passed on to the provider while it comes in, so the fields stand before it in the form. Which types of file and which records it can hang on depends on the provider. `Idempotency-Key` is refused here: what a file holds is not known before it is passed on."
      )
      .annotateContext(needs("records:write"))
      .annotate(OpenApi.Identifier, "accounting_attachment_create")
  )
  .add(
    HttpApiEndpoint.get("content", "/accounting/attachment/:id/content")
      .setPath(Path)
      .setUrlParams(WriteQuery)
      .setHeaders(Headers)
      .addSuccess(HttpApiSchema.Uint8Array({ contentType: "application/octet-stream" }))
      .annotate(OpenApi.Summary, "Download attachment")
      .annotate(OpenApi.Description, "The file, with its own content type.")
      .annotateContext(needs("records:read"))
      .annotate(OpenApi.Identifier, "accounting_attachment_content")
  )

/** What is wrong with a request for records is told for all of it at once. */
const declared = (): ReadonlyArray<DeclaredGroup> => [
  ...Object.values(CrmApi.groups),
  ...Object.values(AccountingApi.groups)
]

/** CRM records: one group a resource, with the verbs its class allows. */
export class CrmApi extends makeApi("crm", declared)
  .add(writable(crm.contact, "crm_contact"))
  .add(writable(crm.company, "crm_company"))
  .add(writable(crm.lead, "crm_lead"))
  .add(writable(crm.deal, "crm_deal"))
  .add(writable(crm.note, "crm_note"))
  .add(writable(crm.task, "crm_task"))
  .add(writable(crm.meeting, "crm_meeting"))
  .add(writable(crm.activity, "crm_activity"))
  .add(writable(crm.appointment, "crm_appointment"))
  .add(readable(crm.owner, "crm_owner"))
  .add(readable(crm.pipeline, "crm_pipeline"))
  .prefix(basePath) {}

/** Accounting records. */
export class AccountingApi extends makeApi("accounting", declared)
  .add(writable(accounting.invoice, "accounting_invoice"))
  .add(writable(accounting.contact, "accounting_contact"))
  .add(writable(accounting.account, "accounting_account"))
  .add(writable(accounting.payment, "accounting_payment"))
  .add(writable(accounting.tax_rate, "accounting_tax_rate"))
  .add(writable(accounting.journal_entry, "accounting_journal_entry"))
  .add(writable(accounting.expense, "accounting_expense"))
  .add(writable(accounting.purchase_order, "accounting_purchase_order"))
  .add(writable(accounting.sales_order, "accounting_sales_order"))
  .add(writable(accounting.credit_note, "accounting_credit_note"))
  .add(writable(accounting.vendor_credit, "accounting_vendor_credit"))
  .add(writable(accounting.item, "accounting_item"))
  .add(writable(accounting.tracking_category, "accounting_tracking_category"))
  .add(writable(accounting.accounting_period, "accounting_accounting_period"))
  .add(writable(accounting.payment_method, "accounting_payment_method"))
  .add(writable(accounting.payment_term, "accounting_payment_term"))
  .add(writable(accounting.employee, "accounting_employee"))
  .add(writable(accounting.project, "accounting_project"))
  .add(attachments)
  .add(writable(accounting.expense_report, "accounting_expense_report"))
  .add(writable(accounting.item_fulfillment, "accounting_item_fulfillment"))
  .add(updatable(accounting.company_info, "accounting_company_info"))
  .add(readable(accounting.address, "accounting_address"))
  .add(readable(accounting.phone_number, "accounting_phone_number"))
  .add(readable(accounting.balance_sheet, "accounting_balance_sheet"))
  .add(readable(accounting.income_statement, "accounting_income_statement"))
  .add(readable(accounting.cash_flow_statement, "accounting_cash_flow_statement"))
  .add(readable(accounting.general_ledger_transaction, "accounting_general_ledger_transaction"))
  .add(readable(accounting.transaction, "accounting_transaction"))
  .add(readable(accounting.bank_feed_account, "accounting_bank_feed_account"))
  .add(readable(accounting.bank_feed_transaction, "accounting_bank_feed_transaction"))
  .prefix(basePath) {}
