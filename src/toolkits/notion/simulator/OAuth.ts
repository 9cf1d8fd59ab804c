import { Option, Schema } from "effect"
import { type Complaint, oauthServer } from "../../../providers/simulation/OAuthServer.ts"
import { firm } from "../../../providers/simulation/SampleSoftware.ts"
import type { Reply, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { bot } from "./Tables.ts"

// https://developers.notion.com/reference/create-a-token

const refused = (status: number, error: string, description: string): Reply => ({
  status,
  body: { error, error_description: description }
})

const badClient = refused(401, "invalid_client", "Client authentication failed.")
const badGrant = refused(400, "invalid_grant", "Invalid code, refresh token or redirect_uri.")
const badRequest = refused(400, "invalid_request", "The request is missing a parameter or has an unknown one.")

const words: { readonly [complaint in Complaint]: Reply } = {
  "content type": badRequest,
  parameter: badRequest,
  client: badClient,
  "client secret": badClient,
  "grant type missing": badRequest,
  "grant type": refused(400, "unsupported_grant_type", "The grant type is not supported."),
  code: badGrant,
  redirect: badGrant,
  verifier: badGrant,
  "refresh token": badGrant
}

const readJson = Schema.decodeOption(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

/** Token requests are JSON. */
const parametersOf = ({ text }: SimulatedRequest): URLSearchParams =>
  new URLSearchParams(
    Object.entries(Option.getOrElse(readJson(text), () => ({}))).map(([name, value]): [string, string] => [
      name,
      String(value)
    ])
  )

export const oauth = oauthServer({
  name: "Notion",
  account: firm.name,
  authorizePath: "/v1/oauth/authorize",
  tokenPath: "/v1/oauth/token",
  authorizeParameters: ["owner"],
  scope: /^$/,
  client: "basic",
  parametersOf,
  parameters: ["grant_type", "code", "redirect_uri", "refresh_token"],
  lifetime: 3600,
  replacedAfter: 0,
  refuse: (complaint) => words[complaint],
  answer: ({ accessToken, refreshToken }) => ({
    access_token: accessToken,
    token_type: "bearer",
    refresh_token: refreshToken,
    bot_id: bot,
    workspace_id: "6b2f7c1e-0d7a-4b55-8a3e-51f1b5f0a9c4",
    workspace_name: firm.name,
    workspace_icon: null,
    owner: { type: "workspace", workspace: true },
    duplicated_template_id: null,
    request_id: "3f0d9c52-8a41-4a7e-9a55-0c6b3d0e7f21"
  }),
  revocation: {
    path: "/v1/oauth/revoke",
    anyToken: true,
    done: { status: 200, body: { request_id: "3f0d9c52-8a41-4a7e-9a55-0c6b3d0e7f21" } },
    unknown: badGrant
  }
})
