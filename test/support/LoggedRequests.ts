import type { LoggedRequest } from "../../src/requests/LoggedRequest.ts"

/** A request of the log that is like most; `more`: what is otherwise about it. */
export const loggedRequest = (more: Pick<LoggedRequest, "key"> & Partial<LoggedRequest>): LoggedRequest => ({
  at: Date.UTC(2026, 10, 20, 9),
  method: "GET",
  route: "/api/v1/providers",
  status: 200,
  code: null,
  message: null,
  providers: [],
  connections: [],
  resource: null,
  record: null,
  idempotencyKey: null,
  milliseconds: 1,
  traceId: null,
  requestId: "of a test",
  endUser: null,
  calls: [],
  callsMade: 0,
  ...more
})
