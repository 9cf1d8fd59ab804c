import type { Doubt } from "../Doubt.ts"

export const doubts: ReadonlyArray<Doubt> = [
  {
    assumed: "Version 8 of the API is supported; no end of it is announced",
    otherwise: "Calls answer 404; the version stands once, in `Rows.ts`",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/"
  },
  {
    assumed: "Queries (COQL) know every module but notes, and maybe appointments",
    otherwise: "Notes and appointments are listed by `GET /{module}` where a query is refused; other lists fail",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/Get-Records-through-COQL-Query.html"
  },
  {
    assumed: "A query leaves converted leads out unless it asks for them",
    otherwise: "Records that come twice are shown once",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/Get-Records-through-COQL-Query.html"
  },
  {
    assumed: "`ids` of a list takes 50 ids at once: 1,024 characters",
    otherwise: "Lists fail with `LIMIT_EXCEEDED`; the number stands once, in `Records.ts`",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/get-records.html"
  },
  {
    assumed: "A call for a module that the edition lacks, or that is hidden, is 400 `INVALID_MODULE`",
    otherwise: "Another refusal is shown in the provider's words",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/status-codes.html"
  },
  {
    assumed: "Connections from before the scope `ZohoCRM.settings.modules.READ` was asked for go on without it",
    otherwise: "What modules such an account has is said to be unknown",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/scopes.html"
  },
  {
    assumed: "Credits that are left are told once half of them are gone, and a 429 has no `Retry-After`",
    otherwise:
      "The account is left alone as long as it says, or else for a second, and for a minute once nothing is left",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/api-limits.html"
  },
  {
    assumed: "The token endpoint refuses with status 200 and `error`",
    otherwise: "Other statuses are read too",
    source: "https://www.zoho.com/crm/developer/docs/api/v8/access-refresh.html"
  }
]
