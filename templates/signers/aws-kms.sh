# Signs with a key of AWS KMS, by the aws command. The tests run it with a stand-in for aws, which takes the arguments that AWS
# documents; nobody has run it against AWS yet.
#
#   export PACKTOOL_KEY="command:sh sign-aws-kms.sh"
#
#   AWS_KMS_KEY  the key's ARN or alias: an asymmetric key for signing, ECC_NIST_P256
#
# In CI, a role that the job takes by its id token needs kms:Sign and kms:GetPublicKey on this key, and nothing else.
# packtool writes what is to be signed to stdin, and reads the signature. With the argument public-key it asks for the public key.
set -eu
: "${AWS_KMS_KEY:?is not set}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ "${1:-}" = public-key ]; then
    aws kms get-public-key --key-id "$AWS_KMS_KEY" --query PublicKey --output text >"$folder/key"
    base64 -d "$folder/key" | openssl pkey -pubin -inform DER
    exit
fi
# KMS takes messages of at most 4,096 bytes, and digests of longer ones.
openssl dgst -sha256 -binary >"$folder/digest"
aws kms sign --key-id "$AWS_KMS_KEY" --message "fileb://$folder/digest" --message-type DIGEST --signing-algorithm ECDSA_SHA_256 \
    --query Signature --output text >"$folder/signature"
base64 -d "$folder/signature"
