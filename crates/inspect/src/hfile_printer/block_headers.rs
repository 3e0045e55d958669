//! The headers of the blocks from the first data block to the last.

use super::meta::comparator;
use crate::error::InspectError;
use finback_cell::StringBinary;
use finback_hfile::{BlockHeader, BlockType, Compression, HFileReader, file_info_keys};
use std::io::Write;

/// Bytes of a header.
const HEADER_SIZE: u32 = 33;
/// So many bytes of a payload are shown.
const SHOWN_BYTES: usize = 32;

pub(super) fn print(reader: &HFileReader, out: &mut dyn Write) -> Result<(), InspectError> {
    writeln!(out, "Block Headers:")?;
    if reader.root_index_entries().next().is_none() {
        return Ok(());
    }
    let fields = &reader.trailer().fields;
    let mut offset = fields.first_data_block_offset();
    while offset <= fields.last_data_block_offset() {
        let block = reader.stored_block(offset)?;
        let (header, size) = (block.header, block.place.size);
        let payload = reader.payload_of(block)?;
        let next = reader.stored_block(offset + u64::from(size))?.place.size;
        let text = block_text(reader, offset, &header, &payload, next);
        writeln!(out, "{text}")?;
        offset += u64::from(size);
    }
    Ok(())
}

fn block_text(reader: &HFileReader, offset: u64, header: &BlockHeader, payload: &[u8], next: u32) -> String {
    let BlockHeader { on_disk_size, uncompressed_size, previous, bytes_per_checksum, data_size, .. } =
        *header;
    let (checksum, size) = (header.checksum_type.name(), on_disk_size + HEADER_SIZE);
    // HBase's buffers: with room for the next header where the block is not compressed.
    let (limit, capacity) = match reader.trailer().compression {
        Compression::None => (data_size, size + HEADER_SIZE),
        _ => (uncompressed_size + HEADER_SIZE, uncompressed_size + HEADER_SIZE),
    };
    let begin = StringBinary(&payload[..payload.len().min(SHOWN_BYTES)]);
    let flag = |key| reader.file_info(key).is_some_and(|flag| flag != [0]);
    let name = reader.path().file_name().unwrap_or_default().to_string_lossy();
    format!(
        "[blockType={block_type}, fileOffset={offset}, headerSize={HEADER_SIZE}, onDiskSizeWithoutHeader={on_disk_size}, \
         uncompressedSizeWithoutHeader={uncompressed_size}, prevBlockOffset={previous}, isUseHBaseChecksum=true, \
         checksumType={checksum}, bytesPerChecksum={bytes_per_checksum}, onDiskDataSizeWithHeader={data_size}, \
         getOnDiskSizeWithHeader={size}, totalChecksumBytes={checksums}, isUnpacked=true, \
         buf=[SingleByteBuff[pos=0, lim={limit}, cap= {capacity}]], dataBeginsWith={begin}, \
         fileContext=[usesHBaseChecksum=true, checksumType={checksum}, bytesPerChecksum={bytes_per_checksum}, \
         blocksize=65536, encoding=NONE, indexBlockEncoding=NONE, includesMvcc={mvcc}, includesTags={tags}, \
         compressAlgo={compression}, compressTags={compress_tags}, cryptoContext=[cipher=NONE keyHash=NONE], \
         name={name}, cellComparator=org.apache.hadoop.hbase.{comparator}], nextBlockOnDiskSize={next}]",
        block_type = type_name(header.block_type),
        checksums = size - data_size.min(size),
        mvcc = reader.includes_mvcc(),
        tags = reader.includes_tags(),
        compression = reader.trailer().compression.name().to_uppercase(),
        compress_tags = flag(file_info_keys::TAGS_COMPRESSED),
        comparator = comparator(reader.order()),
    )
}

/// HBase's name of a type.
fn type_name(block_type: BlockType) -> &'static str {
    match block_type {
        BlockType::Data => "DATA",
        BlockType::EncodedData => "ENCODED_DATA",
        BlockType::LeafIndex => "LEAF_INDEX",
        BlockType::BloomChunk => "BLOOM_CHUNK",
        BlockType::Meta => "META",
        BlockType::IntermediateIndex => "INTERMEDIATE_INDEX",
        BlockType::RootIndex => "ROOT_INDEX",
        BlockType::FileInfo => "FILE_INFO",
        BlockType::GeneralBloomMeta => "GENERAL_BLOOM_META",
        BlockType::DeleteFamilyBloomMeta => "DELETE_FAMILY_BLOOM_META",
    }
}
