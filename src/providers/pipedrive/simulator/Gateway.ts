import type { Reply } from "../../simulation/Simulator.ts"

export const info = "Please check developers.pipedrive.com"

/** The gateway's form of a refusal, before any endpoint is reached. */
export const gatewayFailure = (status: number, error: string): Reply => ({
  status,
  body: { success: false, error, errorCode: status, error_info: info }
})
