/** Which data a connection reaches: the sandbox's simulators, or the provider itself. */
export type Environment = "sandbox" | "production"

/** The connection a call runs for. */
export interface ConnectionRef {
  readonly id: string
  readonly provider: string
  readonly environment: Environment
  /** UUID of the organisation it belongs to: organisations share a provider's calls fairly. */
  readonly organisation: string
  /** Version of its credentials when it was read: as long as it stands, they need not be read again. */
  readonly version?: number
}
