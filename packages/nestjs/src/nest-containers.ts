/** Nest's own picture of a module and of a provider: types only, it exports no names for them. */
export type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
export type { Module as HostModule } from '@nestjs/core/injector/module.js';
