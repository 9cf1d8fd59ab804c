// The package's index warns on standard error of every Node that is not the newest; these are the modules behind it.

declare module "oidc-provider/lib/provider.js" {
  export { default as Provider } from "oidc-provider"
}

declare module "oidc-provider/lib/helpers/errors.js" {
  import { errors } from "oidc-provider"
  export import InvalidClient = errors.InvalidClient
  export import InvalidGrant = errors.InvalidGrant
  export import InvalidTarget = errors.InvalidTarget
}

declare module "oidc-provider/lib/helpers/interaction_policy/index.js" {
  import { interactionPolicy } from "oidc-provider"
  export import base = interactionPolicy.base
  export import Check = interactionPolicy.Check
}
