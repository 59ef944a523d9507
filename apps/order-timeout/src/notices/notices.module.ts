import { type DynamicModule, Module } from '@nestjs/common';
import { LogNoticeChannel, NoticeChannel } from './notice-channel.js';
import { NoticesService } from './notices.service.js';

/** Notices to customers, over the channel given. */
@Module({})
export class NoticesModule {
  static with(channel: NoticeChannel = new LogNoticeChannel()): DynamicModule {
    return {
      module: NoticesModule,
      providers: [{ provide: NoticeChannel, useValue: channel }, NoticesService],
      exports: [NoticesService],
    };
  }
}
