#!/usr/bin/env node
import { everything } from "./All.ts"
import { commandLine } from "./CommandLine.ts"

commandLine(everything)
