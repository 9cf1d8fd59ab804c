import { serve } from "tributary"
import { parts } from "./parts.ts"

serve(parts)
