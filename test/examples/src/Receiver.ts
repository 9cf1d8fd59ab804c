import { Webhook } from "standardwebhooks"

/** The event that came in; `text` is the body as it was sent. Throws where it is not signed with the webhook's secret. */
export const eventIn = (secret: string, text: string, headers: Record<string, string>): unknown =>
  new Webhook(secret).verify(text, headers)
