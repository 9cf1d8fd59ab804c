import type { Together } from "../base/Changes.ts"

/** A lookup and its module, a stage and its pipeline, a place and its address, the status of an appointment and its time. */
export const together: Together = [
  ["What_Id", "$se_module"],
  ["Stage", "Pipeline"],
  ["Location", "Address"],
  ["Status", "Appointment_Start_Time"]
]
