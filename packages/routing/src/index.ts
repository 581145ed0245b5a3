export { type LenientConfig, parseRoutingConfig, readRoutingConfig } from './config-reading.js';
export { routingConfigSchema } from './config-schema.js';
export type { DispatchRule } from './dispatch-rule.js';
export type { Constraint, SelectorField } from './dispatch-selector.js';
export { RoutingConfigError, type RoutingProblem, type RoutingProblemCode } from './errors.js';
export { chooseModel, type ModelChoice, type ModelChoiceRequest, scoreTurn } from './model-choice.js';
export { createRouter, type RouteDecision, type Router, type RouteTrace, type RuleTrial } from './router.js';
export type { RoutingConfig } from './routing-config.js';
export { type RecentMessage, type Turn, type TurnFeatures, turnFeatures } from './turn-features.js';
